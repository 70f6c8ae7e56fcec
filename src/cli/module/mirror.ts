import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatAddress, type ModuleAddress } from '../../registry/modules/names.ts'
import { typeOf } from '../../registry/operations/archive-model.ts'
import { textOf } from '../box/catalog-client.ts'
import { sourceToken } from '../box/source-token.ts'
import type { FlagValues } from '../command/declaration.ts'
import type { mirrorFlags } from '../commands/module/flags.ts'
import { digestsAt } from '../digests-at.ts'
import { UserError } from '../user-error.ts'
import { upload } from './publish.ts'
import {
  moduleAddressOf,
  type RegistryClient,
  refusalOf,
  registryClient,
  versionPath,
  versionsAt,
} from './registry-client.ts'
import { type FetchedModule, type SourceRegistry, sourceRegistry } from './source-registry.ts'

/** A module of the other registry, with its versions. */
interface Mirrored {
  readonly module: ModuleAddress
  readonly versions: readonly string[]
}

/** Hears why one module or version cannot be copied; the others go on. */
type Failed = (error: unknown) => undefined

/** `plinth module mirror SOURCE [NAMESPACE[/NAME/PROVIDER]]` */
export async function mirrorCommand(
  {
    to,
    verify,
    'dry-run': isDryRun,
    'source-token-env': tokenName,
    ...flags
  }: FlagValues<typeof mirrorFlags>,
  [address, what]: readonly [string, string?],
): Promise<void> {
  const one = what?.includes('/') ? moduleAddressOf(what) : undefined
  const token = tokenName === undefined ? undefined : await sourceToken(tokenName)?.()
  const target = registryClient(to, { isReader: isDryRun || verify })
  const from = await sourceRegistry(address, { ...(token === undefined ? {} : { token }), canRunGit: true })
  const counts = { copied: 0, present: 0, failed: 0 }
  const failed: Failed = (error) => {
    if (!(error instanceof UserError)) throw error
    process.stderr.write(`${error.message}\n`)
    counts.failed += 1
  }
  const all = one ? only(from, one) : listed(from, what, failed)
  if (verify) await verifyModules(from, target, all)
  else
    for await (const { module, versions } of all) {
      const there = await numbersAt(target, module)
      const missing = versions.filter((version) => !there.has(version))
      counts.present += versions.length - missing.length
      const about = missing.length === 0 || isDryRun ? undefined : await describing(from, module)
      for (const version of missing) {
        if (isDryRun) process.stdout.write(`would copy ${formatAddress(module)} ${version}\n`)
        else if (await copy(from, target, { module, version, about }).catch(failed)) counts.copied += 1
      }
      if (flags['keep-history'] && !isDryRun)
        await keepHistory(from, target, { module, versions }).catch(failed)
    }
  if (!isDryRun && !verify)
    process.stdout.write(`${counts.copied} versions copied, ${counts.present} already there\n`)
  if (counts.failed > 0) throw new UserError(`${counts.failed} could not be copied; run the command again`)
}

async function* only(from: SourceRegistry, module: ModuleAddress): AsyncGenerator<Mirrored> {
  const versions = await from.versions(module)
  if (versions === undefined) throw new UserError(`${formatAddress(module)} is not at ${from.url}`)
  yield { module, versions }
}

async function* listed(
  from: SourceRegistry,
  namespace: string | undefined,
  failed: Failed,
): AsyncGenerator<Mirrored> {
  for await (const module of from.modules(namespace)) {
    const versions = await from.versions(module).catch(failed)
    if (versions !== undefined) yield { module, versions }
  }
}

const numbersAt = async (target: RegistryClient, module: ModuleAddress) =>
  new Set((await versionsAt(target, module)).map((version) => textOf(version, 'version')))

/** What the other registry says of a module, as a query of the publish. */
async function describing(from: SourceRegistry, module: ModuleAddress): Promise<URLSearchParams> {
  const found = await from.details(module)
  const said = new URLSearchParams()
  for (const name of ['description', 'source']) {
    const text = textOf(found, name)
    if (text !== undefined) said.set(name, text.slice(0, 4096))
  }
  return said
}

async function copy(
  from: SourceRegistry,
  target: RegistryClient,
  {
    module,
    version,
    about = new URLSearchParams(),
  }: {
    readonly module: ModuleAddress
    readonly version: string
    readonly about: URLSearchParams | undefined
  },
): Promise<true> {
  const what = `${formatAddress(module)} ${version}`
  await fetched(from, module, version, ({ file, format, ...packed }) =>
    upload(target, versionPath(module, version), {
      file,
      packed,
      what,
      json: false,
      query: about,
      type: typeOf[format],
    }),
  )
  process.stdout.write(`copied ${what}\n`)
  return true
}

/** Fetches an archive into a folder that exists as long as it is used. */
async function fetched<Value>(
  from: SourceRegistry,
  module: ModuleAddress,
  version: string,
  use: (archive: FetchedModule) => Promise<Value>,
): Promise<Value> {
  const work = await mkdtemp(join(tmpdir(), 'plinth-module-'))
  try {
    return await use(await from.fetch(module, version, work))
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Gives a module the dates and the downloads that it has in the other registry. */
async function keepHistory(
  from: SourceRegistry,
  target: RegistryClient,
  { module, versions }: Mirrored,
): Promise<void> {
  const { downloads } = await from.details(module)
  const dated: { readonly version: string; readonly published_at: string }[] = []
  for (const version of versions) {
    const date = textOf(await from.details(module, version), 'published_at')
    if (date !== undefined && !Number.isNaN(Date.parse(date))) dated.push({ version, published_at: date })
  }
  const json = { downloads: Number.isSafeInteger(downloads) ? downloads : 0, versions: dated }
  const path = `plinth/v1/modules/${formatAddress(module)}/history`
  const answer = await target.call('PUT', path, { json })
  if (answer.status !== 204)
    throw refusalOf(answer, `cannot set the dates of ${formatAddress(module)} at ${target.url}`)
}

/** Compares the archives of two registries, and prints a line for each difference. */
async function verifyModules(
  from: SourceRegistry,
  target: RegistryClient,
  all: AsyncIterable<Mirrored>,
): Promise<void> {
  let [same, different] = [0, 0]
  const compare = async (module: ModuleAddress, version: string, isThere: boolean) => {
    if (!isThere) return 'the version is missing'
    const url = `${target.url}/${versionPath(module, version)}/archive`
    const [has] = (await digestsAt({ url, headers: async () => target.headers }, ['sha256'])) ?? []
    if (has === undefined) return 'its archive is missing'
    const wanted = await fetched(from, module, version, async ({ sha256 }) => sha256)
    return has === wanted ? undefined : `the SHA-256 of its archive is ${has}, not ${wanted}`
  }
  for await (const { module, versions } of all) {
    const there = await numbersAt(target, module)
    for (const version of versions) {
      const problem = await compare(module, version, there.has(version)).catch((error: unknown) => {
        if (error instanceof UserError) return error.message
        throw error
      })
      if (problem === undefined) same += 1
      else {
        different += 1
        process.stdout.write(`${formatAddress(module)} ${version}: ${problem}\n`)
      }
    }
  }
  process.stdout.write(`${same} versions are the same, ${different} differences\n`)
  if (different > 0) throw new UserError(`${target.url} is not a complete copy of ${from.url}`)
}
