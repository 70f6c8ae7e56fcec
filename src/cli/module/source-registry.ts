import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { archiveLimits } from '../../registry/archive/entry.ts'
import type { ArchiveFormat } from '../../registry/archive/read-archive.ts'
import { formatAddress, isAddressPart, type ModuleAddress } from '../../registry/modules/names.ts'
import { resolveModuleSource } from '../../registry/source/resolve.ts'
import { parseVersion } from '../../registry/versions/number.ts'
import { type Fields, listOf, objectOf, textOf } from '../box/catalog-client.ts'
import { membersOf } from '../client/members.ts'
import { openUrl, type Reach, webUrl } from '../open-url.ts'
import { whyUnreachable } from '../unreachable.ts'
import { UserError } from '../user-error.ts'
import { git } from './git.ts'
import { moduleFiles } from './module-files.ts'
import { packModule } from './pack-module.ts'

/** A registry to copy from. What it answers may be wrong, without end, or slow. */
export interface SourceRegistry {
  readonly url: string
  /** The modules that it lists: all, or those of a namespace. */
  readonly modules: (namespace?: string) => AsyncGenerator<ModuleAddress>
  /** The canonical numbers of a module's versions; `undefined` if it has no such module. */
  readonly versions: (address: ModuleAddress, via?: string) => Promise<readonly string[] | undefined>
  /** What it says of a module, or of one of its versions; nothing if it does not answer. */
  readonly details: (address: ModuleAddress, version?: string) => Promise<Fields>
  /** Downloads the archive of a version into a folder, and compares its checksum. */
  readonly fetch: (
    address: ModuleAddress,
    version: string,
    folder: string,
    more?: { readonly via?: string; readonly signal?: AbortSignal },
  ) => Promise<FetchedModule>
}

export interface FetchedModule {
  readonly file: string
  readonly size: number
  readonly sha256: string
  readonly format: ArchiveFormat
}

const longestAnswer = 32 * 1024 * 1024
/** How long a registry may take: for an answer, and for an archive. */
const patience = { answerMs: 60_000, archiveMs: 15 * 60_000 }

/**
 * Finds the module service of a registry.
 *
 * @param reach - checks each URL, also those of redirects and archives; all are allowed by default
 */
export async function sourceRegistry(
  given: string,
  {
    token,
    reach,
    canRunGit = false,
    limits = patience,
  }: {
    readonly token?: string
    readonly reach?: Reach
    readonly canRunGit?: boolean
    readonly limits?: typeof patience
  },
): Promise<SourceRegistry> {
  const url = webUrl(
    /^https?:/.test(given) ? given : `https://${given}`,
    given.includes('.') ? `https://${given}` : given,
  )
  if (url === undefined) throw new UserError(`"${given}" is not the URL of a registry: write https://HOST`, 2)
  const source: Source = {
    origin: url.origin,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    reach,
    limits,
  }
  const ask = (address: string | URL, via?: string) => askSource(source, address, via)
  const found = await ask(new URL('/.well-known/terraform.json', url))
  const service = textOf(objectOf(found.text) ?? {}, 'modules.v1')
  const base = service === undefined ? undefined : webUrl(service.replace(/\/*$/, '/'), url.href)
  if (found.status !== 200 || base === undefined)
    throw new UserError(
      `${url.origin} is not a module registry: it has no modules.v1 in /.well-known/terraform.json`,
    )
  const read = async (path: string, via?: string): Promise<Fields | undefined> => {
    const { status, text } = await ask(new URL(path, base), via)
    if (status === 404) return undefined
    const body = status === 200 ? objectOf(text) : undefined
    if (body) return body
    throw new UserError(
      `${url.origin} answers ${path} with ${status}${status === 200 ? ', but not with JSON' : ''}`,
    )
  }
  return {
    url: url.href,
    modules: (namespace) => listedModules(read, namespace),
    versions: async (address, via) => {
      const body = await read(`${formatAddress(address)}/versions`, via)
      const [module] = listOf(body ?? {}, 'modules')
      if (!module) return undefined
      const numbers = listOf(module, 'versions').flatMap(
        (version) => parseVersion(textOf(version, 'version') ?? '')?.canonical ?? [],
      )
      return [...new Set(numbers)]
    },
    details: async (address, version) => {
      const below = version === undefined ? '' : `/${encodeURIComponent(version)}`
      return (await read(`${formatAddress(address)}${below}`).catch(() => undefined)) ?? {}
    },
    fetch: async (address, version, folder, { via, signal } = {}) => {
      const what = `${formatAddress(address)} ${version}`
      const download = new URL(`${formatAddress(address)}/${encodeURIComponent(version)}/download`, base)
      const { status, headers, text } = await ask(download, via)
      const location =
        [headers['x-terraform-get'], headers['x-registry-get']].flat().find((each) => each) ??
        textOf(objectOf(text) ?? {}, 'location')
      if (location === undefined)
        throw new UserError(`${what}: ${url.origin} names no location for it (${status})`)
      return fetchFrom(source, { location, download, folder, what, canRunGit, signal })
    },
  }
}

/** The modules on all pages of a list. */
async function* listedModules(
  read: (path: string) => Promise<Fields | undefined>,
  namespace: string | undefined,
): AsyncGenerator<ModuleAddress> {
  const seen = new Set<string>()
  for (let offset = 0; ; ) {
    const page = await read(`${namespace ?? ''}?limit=100&offset=${offset}`)
    const before = seen.size
    for (const module of listOf(page ?? {}, 'modules')) {
      const address = addressIn(module)
      if (address === undefined || seen.has(formatAddress(address))) continue
      seen.add(formatAddress(address))
      yield address
    }
    const next = membersOf(page?.['meta'])['next_offset']
    // A page without anything new ends a list that goes in circles.
    if (typeof next !== 'number' || next <= offset || seen.size === before) return
    offset = next
  }
}

/** The server of a registry, as it is asked. */
interface Source {
  readonly origin: string
  /** For its own addresses only. */
  readonly headers: Readonly<Record<string, string>>
  readonly reach: Reach | undefined
  readonly limits: typeof patience
}

/** Asks for a text of bounded length, in bounded time. */
async function askSource({ origin, headers, reach, limits }: Source, address: string | URL, via?: string) {
  const at = new URL(address)
  const hops: Record<string, string> = via === undefined ? {} : { via }
  const own = at.origin === origin ? { ...headers, ...hops } : {}
  try {
    const signal = AbortSignal.timeout(limits.answerMs)
    const answer = await openUrl(at.href, { accept: 'application/json', ...own }, signal, reach)
    let size = 0
    answer.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > longestAnswer) answer.destroy(new Error(`the answer is longer than ${longestAnswer} bytes`))
    })
    return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) }
  } catch (error) {
    throw new UserError(`cannot read ${at.href}: ${whyUnreachable(error)}`)
  }
}

/** Fetches what a registry names as the location of a version. */
async function fetchFrom(
  source: Source,
  {
    location,
    download,
    folder,
    what,
    canRunGit,
    signal,
  }: {
    readonly location: string
    readonly download: URL
    readonly folder: string
    readonly what: string
    readonly canRunGit: boolean
    readonly signal: AbortSignal | undefined
  },
): Promise<FetchedModule> {
  const resolved = resolveModuleSource(location, download.href)
  if (!resolved.ok) throw new UserError(`${what}: ${resolved.refusal.message}`)
  const { downloader, subdirectory } = resolved.value
  const { address: at, hints } = archiveAt(resolved.value.location, subdirectory)
  if (downloader === 'git' && canRunGit)
    return packRepository(at, subdirectory, folder, source.limits.archiveMs)
  if (downloader !== 'http' && downloader !== 'https')
    throw new UserError(`${what}: it is fetched with ${downloader}, which cannot be copied from here`)
  if (subdirectory.includes('/'))
    throw new UserError(`${what}: it is the folder ${subdirectory} of a larger archive`)
  return fetchArchive(source, { url: at, file: join(folder, 'module'), hints, what, signal })
}

function addressIn(module: Fields): ModuleAddress | undefined {
  const [namespace = '', name = '', provider = ''] = ['namespace', 'name', 'provider'].map((part) =>
    textOf(module, part),
  )
  const address = { namespace, name, provider }
  const isValid = (['namespace', 'name', 'provider'] as const).every((part) =>
    isAddressPart(part, address[part]),
  )
  return isValid ? address : undefined
}

/** The URL of an archive or a repository, without the folder in it, and the hints for the downloader. */
function archiveAt(location: string, subdirectory: string) {
  const plain = location.replace(/^[a-z]+::/, '')
  const whole = /^(?:github|gitlab|bitbucket)\./.test(plain) ? `https://${plain}` : plain
  const address = subdirectory === '' ? whole : whole.replace(`//${subdirectory}`, '')
  const url = URL.canParse(address) ? new URL(address) : undefined
  const hints = new URLSearchParams(url?.search)
  for (const hint of ['archive', 'checksum']) url?.searchParams.delete(hint)
  return { address: url?.href ?? address, hints }
}

async function fetchArchive(
  { origin, headers, reach, limits }: Source,
  {
    url,
    file,
    hints,
    what,
    signal,
  }: {
    readonly url: string
    readonly file: string
    readonly hints: URLSearchParams
    readonly what: string
    readonly signal: AbortSignal | undefined
  },
): Promise<FetchedModule> {
  const [type = '', wanted] = (hints.get('checksum') ?? '').split(':')
  if (wanted !== undefined && !['md5', 'sha1', 'sha256', 'sha512'].includes(type))
    throw new UserError(`${what}: its checksum is a ${type}, which is not known here`)
  const hash = createHash('sha256')
  const checked = wanted === undefined ? undefined : createHash(type)
  let size = 0
  let head: Buffer | undefined
  try {
    const own = new URL(url).origin === origin ? headers : {}
    const late = AbortSignal.timeout(limits.archiveMs)
    const answer = await openUrl(url, own, signal ? AbortSignal.any([late, signal]) : late, reach)
    if (answer.statusCode !== 200) {
      answer.destroy()
      throw new UserError(`its archive answers ${answer.statusCode}`)
    }
    await pipeline(
      answer,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          head ??= chunk.subarray(0, 2)
          hash.update(chunk)
          checked?.update(chunk)
          size += chunk.length
          if (size > archiveLimits.archiveBytes)
            throw new UserError(`its archive is larger than ${archiveLimits.archiveBytes} bytes`)
          yield chunk
        }
      },
      createWriteStream(file, { mode: 0o600 }),
    )
  } catch (error) {
    await rm(file, { force: true })
    throw new UserError(`cannot fetch ${what}: ${whyUnreachable(error)}`)
  }
  if (checked && checked.digest('hex') !== wanted?.toLowerCase())
    throw new UserError(`${what}: the fetched bytes do not have the ${type} checksum that its registry names`)
  return {
    file,
    size,
    sha256: hash.digest('hex'),
    format: head?.toString('latin1') === 'PK' ? 'zip' : 'tar.gz',
  }
}

/** Fetches a commit of a repository, and packs the folder of the module. */
async function packRepository(
  address: string,
  subdirectory: string,
  folder: string,
  limitMs: number,
): Promise<FetchedModule> {
  if (!URL.canParse(address)) throw new UserError(`"${address}" is not the URL of a repository`)
  const url = new URL(address)
  const ref = url.searchParams.get('ref') ?? 'HEAD'
  url.search = ''
  if (!/^[\w./+-]+$/.test(ref) || ref.startsWith('-'))
    throw new UserError(`"${ref}" is not the name of a commit`)
  const [repository, files] = [join(folder, 'repository'), join(folder, 'files')]
  const env = { GIT_ALLOW_PROTOCOL: 'https:http:ssh', GIT_INDEX_FILE: join(folder, 'index') }
  const signal = AbortSignal.timeout(limitMs)
  await git(['init', '--quiet', '--bare', repository])
  await git(['-C', repository, 'fetch', '--quiet', '--depth', '1', '--', url.href, ref], { env, signal })
  await git(['-C', repository, 'read-tree', 'FETCH_HEAD'], { env })
  await git(['-C', repository, `--work-tree=${files}`, 'checkout-index', '--all', `--prefix=${files}/`], {
    env,
  })
  const file = join(folder, 'module')
  const packed = await packModule(await moduleFiles(join(files, subdirectory)), file)
  return { ...packed, size: (await stat(file)).size, file, format: 'tar.gz' }
}
