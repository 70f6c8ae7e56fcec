import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatAddress, type ModuleAddress } from '../../registry/modules/names.ts'
import { typeOf } from '../../registry/operations/archive-model.ts'
import { textOf } from '../box/catalog-client.ts'
import { sourceToken } from '../box/source-token.ts'
import { UserError } from '../user-error.ts'
import { upload } from './publish.ts'
import {
  moduleAddressOf,
  type RegistryClient,
  registryClient,
  versionPath,
  versionsAt,
} from './registry-client.ts'
import { type SourceRegistry, sourceRegistry } from './source-registry.ts'

interface MirrorFlags {
  readonly to: string | undefined
  readonly 'dry-run': boolean
  readonly 'source-token-env': string | undefined
}

/** `plinth module mirror SOURCE [NAMESPACE[/NAME/PROVIDER]]` */
export async function mirrorCommand(
  { to, 'dry-run': isDryRun, 'source-token-env': tokenName }: MirrorFlags,
  [address, what]: readonly [string, string?],
): Promise<void> {
  const one = what?.includes('/') ? moduleAddressOf(what) : undefined
  const token = tokenName === undefined ? undefined : await sourceToken(tokenName)?.()
  const target = registryClient(to, { isReader: isDryRun })
  const from = await sourceRegistry(address, { ...(token === undefined ? {} : { token }), canRunGit: true })
  const counts = { copied: 0, present: 0, failed: 0 }
  for await (const module of one ? [one] : from.modules(what)) {
    const failed = (error: unknown): undefined => {
      if (!(error instanceof UserError)) throw error
      process.stderr.write(`${error.message}\n`)
      counts.failed += 1
    }
    const reading = from.versions(module)
    const wanted = await (one ? reading : reading.catch(failed))
    if (wanted === undefined && one) throw new UserError(`${formatAddress(one)} is not at ${from.url}`)
    const there = new Set((await versionsAt(target, module)).map((version) => textOf(version, 'version')))
    const missing = (wanted ?? []).filter((version) => !there.has(version))
    counts.present += (wanted?.length ?? 0) - missing.length
    const about = missing.length === 0 ? undefined : await describing(from, module)
    for (const version of missing) {
      if (isDryRun) process.stdout.write(`would copy ${formatAddress(module)} ${version}\n`)
      else if (await copy(from, target, { module, version, about }).catch(failed)) counts.copied += 1
    }
  }
  if (!isDryRun) process.stdout.write(`${counts.copied} versions copied, ${counts.present} already there\n`)
  if (counts.failed > 0) throw new UserError(`${counts.failed} could not be copied; run the command again`)
}

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
  const work = await mkdtemp(join(tmpdir(), 'plinth-module-'))
  try {
    const { file, format, ...packed } = await from.fetch(module, version, work)
    const what = `${formatAddress(module)} ${version}`
    const type = typeOf[format]
    await upload(target, versionPath(module, version), {
      file,
      packed,
      what,
      json: false,
      query: about,
      type,
    })
    process.stdout.write(`copied ${what}\n`)
    return true
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
