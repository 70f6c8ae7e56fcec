import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatAddress, type ModuleAddress } from '../../registry/modules/names.ts'
import { parseVersion } from '../../registry/versions/number.ts'
import { textOf } from '../box/catalog-client.ts'
import { progress } from '../progress.ts'
import { fileBody } from '../send.ts'
import { UserError } from '../user-error.ts'
import { type ModuleFile, moduleFiles } from './module-files.ts'
import { type PackedModule, packModule } from './pack-module.ts'
import {
  moduleAddressOf,
  type RegistryClient,
  refusalOf,
  registryClient,
  versionPath,
  versionsAt,
} from './registry-client.ts'
import { filesAt, versionTags } from './tags.ts'
import type { DescribingFlags } from './update.ts'

export interface PublishFlags extends DescribingFlags {
  readonly to: string | undefined
  readonly 'dry-run': boolean
  readonly json: boolean
  readonly all: boolean
  readonly 'tag-prefix': string | undefined
}

/** `plinth module publish DIR NAMESPACE/NAME/PROVIDER VERSION`, or every tagged version with `--all` */
export async function publishCommand(
  flags: PublishFlags,
  [folder, module, version]: readonly [string, string, string?],
): Promise<void> {
  const address = moduleAddressOf(module)
  if (flags.all !== (version === undefined))
    throw new UserError('name the version to publish, or use --all for all that are tagged in git', 2)
  if (!flags.all && flags['tag-prefix'] !== undefined)
    throw new UserError('--tag-prefix is for --all: name no version', 2)
  const registry = flags['dry-run'] ? undefined : registryClient(flags.to)
  const work = await mkdtemp(join(tmpdir(), 'plinth-module-'))
  const publish = (from: string, number: string) =>
    publishFolder(registry, from, { flags, address, number, file: join(work, 'module.tar.gz') })
  try {
    if (version === undefined) await publishTags(registry, folder, { flags, address, work, publish })
    else await publish(folder, canonical(version))
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

function canonical(version: string): string {
  const number = parseVersion(version)?.canonical
  if (number !== undefined) return number
  throw new UserError(`"${version}" is not a version number: use numbers and dots, such as 1.2.0`, 2)
}

/** Publishes the tagged versions of a repository that the registry does not have, oldest first. */
async function publishTags(
  registry: RegistryClient | undefined,
  folder: string,
  {
    flags: { 'tag-prefix': prefix = 'v' },
    address,
    work,
    publish,
  }: {
    readonly flags: PublishFlags
    readonly address: ModuleAddress
    readonly work: string
    readonly publish: (from: string, number: string) => Promise<void>
  },
): Promise<void> {
  const tags = await versionTags(folder, prefix)
  if (tags.length === 0)
    throw new UserError(`no tag of the repository of ${folder} is "${prefix}" and a version`)
  const there = new Set(
    registry && (await versionsAt(registry, address)).map((known) => textOf(known, 'version')),
  )
  let failed = 0
  for (const { tag, number } of tags.filter((each) => !there.has(each.number))) {
    const into = join(work, 'files')
    try {
      await publish(await filesAt(folder, tag, into), number)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      process.stderr.write(`${tag}: ${error.message.replaceAll(into, folder)}\n`)
      failed += 1
    }
    await rm(into, { recursive: true, force: true })
  }
  if (failed > 0) throw new UserError(`${failed} of ${tags.length} tagged versions could not be published`)
}

/** Publishes the files of a folder as a version. */
async function publishFolder(
  registry: RegistryClient | undefined,
  folder: string,
  {
    flags: { json, description, source, label },
    address,
    number,
    file,
  }: {
    readonly flags: PublishFlags
    readonly address: ModuleAddress
    readonly number: string
    readonly file: string
  },
): Promise<void> {
  const files = await moduleFiles(folder)
  warnOfSecrets(files)
  const packed = await packModule(files, file)
  const what = `${formatAddress(address)} ${number}`
  if (registry === undefined) return tellDryRun(files, packed, what, json)
  const query = new URLSearchParams(label.map((each): [string, string] => ['label', each]))
  if (description !== undefined) query.set('description', description)
  if (source !== undefined) query.set('source', source)
  const path = versionPath(address, number)
  const warnings = await upload(registry, path, { file, packed, what, json, query })
  if (json) {
    const result = {
      module: formatAddress(address),
      version: number,
      files: files.length,
      ...packed,
      warnings,
    }
    process.stdout.write(`${JSON.stringify(result)}\n`)
  } else {
    for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`)
    process.stdout.write(`published ${what}: ${sizeOf(files, packed)}\n`)
  }
}

/** What is uploaded as a version. */
export interface Upload {
  readonly file: string
  readonly packed: PackedModule
  readonly what: string
  readonly json: boolean
  /** What the module says of itself. */
  readonly query: URLSearchParams
  readonly type?: string
}

/** Uploads the archive; returns the parts that the registry could not parse. */
export async function upload(
  registry: RegistryClient,
  path: string,
  { file, packed, what, json, query, type = 'application/gzip' }: Upload,
): Promise<readonly string[]> {
  const bar = progress(`publishing ${what}`, { quiet: json })
  const answer = await registry
    .call('POST', query.size === 0 ? path : `${path}?${query}`, {
      headers: { 'content-type': type },
      body: fileBody(file, packed.size),
      onSent: (bytes) => bar.report(bytes, packed.size),
    })
    .finally(bar.end)
  if (answer.status === 201) return warningsIn(answer.text)
  // The answer to an earlier attempt may have been lost: then the registry has the same bytes.
  if (answer.status === 409 && answer.attempts > 1 && (await isPublished(registry, path, packed))) return []
  throw refusalOf(answer, `cannot publish ${what}`)
}

async function isPublished(
  registry: RegistryClient,
  path: string,
  { sha256 }: PackedModule,
): Promise<boolean> {
  const { headers } = await registry.call('HEAD', `${path}/archive`)
  return headers['etag'] === `"${sha256}"`
}

function warningsIn(text: string): readonly string[] {
  const body: unknown = JSON.parse(text)
  const warnings = typeof body === 'object' && body !== null && 'warnings' in body ? body.warnings : []
  return Array.isArray(warnings) ? warnings.map(String) : []
}

const sizeOf = ({ length }: readonly ModuleFile[], { size }: PackedModule): string =>
  `${length} ${length === 1 ? 'file' : 'files'}, ${size} bytes`

function tellDryRun(files: readonly ModuleFile[], packed: PackedModule, what: string, json: boolean): void {
  if (json) {
    const listed = files.map(({ path, size }) => ({ path, size }))
    process.stdout.write(`${JSON.stringify({ dryRun: true, files: listed, ...packed })}\n`)
    return
  }
  for (const { path, size } of files) process.stdout.write(`${String(size).padStart(10)}  ${path}\n`)
  process.stdout.write(`would publish ${what}: ${sizeOf(files, packed)}\n`)
}

/** State files and variable values often contain secrets, and are rarely part of a module. */
function warnOfSecrets(files: readonly ModuleFile[]): void {
  for (const { path } of files)
    if (/\.tfstate(?:\.|$)|\.tfvars(?:\.json)?$/.test(path))
      process.stderr.write(`warning: ${path} is published too: name it in .terraformignore to leave it out\n`)
}
