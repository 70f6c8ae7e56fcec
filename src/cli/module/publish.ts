import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatAddress } from '../../registry/modules/names.ts'
import { parseVersion } from '../../registry/versions/number.ts'
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
} from './registry-client.ts'

export interface PublishFlags {
  readonly to: string | undefined
  readonly 'dry-run': boolean
  readonly json: boolean
}

/** `plinth module publish DIR NAMESPACE/NAME/PROVIDER VERSION` */
export async function publishCommand(
  { to, 'dry-run': isDryRun, json }: PublishFlags,
  [folder, module, version]: readonly [string, string, string],
): Promise<void> {
  const address = moduleAddressOf(module)
  const number = parseVersion(version)?.canonical
  if (number === undefined)
    throw new UserError(`"${version}" is not a version number: use numbers and dots, such as 1.2.0`, 2)
  const registry = isDryRun ? undefined : registryClient(to)
  const files = await moduleFiles(folder)
  warnOfSecrets(files)
  const work = await mkdtemp(join(tmpdir(), 'plinth-module-'))
  try {
    const file = join(work, 'module.tar.gz')
    const packed = await packModule(files, file)
    const what = `${formatAddress(address)} ${number}`
    if (registry === undefined) return tellDryRun(files, packed, what, json)
    const path = versionPath(address, number)
    const warnings = await upload(registry, path, { file, packed, what, json })
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
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Uploads the archive; returns the parts that the registry could not parse. */
async function upload(
  registry: RegistryClient,
  path: string,
  {
    file,
    packed,
    what,
    json,
  }: { readonly file: string; readonly packed: PackedModule; readonly what: string; readonly json: boolean },
): Promise<readonly string[]> {
  const bar = progress(`publishing ${what}`, { quiet: json })
  const answer = await registry
    .call('POST', path, {
      headers: { 'content-type': 'application/gzip' },
      body: fileBody(file, packed.size),
      onSent: (bytes) => bar.report(bytes, packed.size),
    })
    .finally(bar.end)
  if (answer.status === 201) return warningsIn(answer.text)
  // The answer to an earlier attempt may have been lost: then the registry has the same bytes.
  if (answer.status === 409 && answer.attempts > 1 && (await isPublished(registry, path, packed))) return []
  throw refusalOf(answer, `cannot publish ${what} to ${registry.url}`)
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
