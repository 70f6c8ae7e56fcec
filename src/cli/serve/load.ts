import * as z from 'zod'
import { readHcl } from '../../hcl/index.ts'
import type { Refused } from '../../kernel/index.ts'
import { firstFault, strict } from '../../operation/known-fields.ts'
import { demoCluster } from '../../scheduler/index.ts'
import { devSecrets, type Secrets } from '../../secrets/index.ts'
import { fileText } from '../file-text.ts'
import { UserError } from '../user-error.ts'
import { demoCatalog, demoRegistry, demoSecrets } from './demo.ts'
import type { OpenedCatalog } from './services/catalog.ts'
import type { openRegistry } from './services/registry.ts'
import type { openScheduler } from './services/scheduler.ts'
import type { OpenedSecrets } from './services/secrets.ts'
import type { Settings } from './settings.ts'

/** A load file: a section per service, all of them optional. What is in a section its service checks. */
const LoadFile = strict({
  scheduler: z.unknown().optional(),
  registry: z.unknown().optional(),
  catalog: z.unknown().optional(),
  secrets: strict({
    kv: z.record(z.string(), z.record(z.string(), z.json())).optional(),
    policies: z.record(z.string(), z.string()).optional(),
  }).optional(),
})
interface LoadFile extends z.infer<typeof LoadFile> {}

/** The services that records go into. */
export interface Fillable {
  readonly secrets: OpenedSecrets
  readonly scheduler: Awaited<ReturnType<typeof openScheduler>>
  readonly catalog: OpenedCatalog
  readonly registry: Awaited<ReturnType<typeof openRegistry>>
}

/** From this size on a load takes long enough to say how it gets on. */
const largeBytes = 4 * 1024 * 1024

/**
 * Fills empty services with the records of `--load FILE`, or with `--demo` data. Every section is checked before the
 * first is stored, so that a bad record in the last one leaves the first one unloaded too.
 */
export async function fill(
  settings: Settings,
  services: Fillable,
  log: (line: string) => void,
): Promise<void> {
  const name = settings.load
  if (name === undefined) {
    if (settings.demo) await applyDemo(services, undefined)
    return
  }
  const { records, bytes } = await readLoadFile(name)
  const tell = bytes < largeBytes ? () => {} : (line: string) => log(`${name}: ${line}`)
  tell(`${Math.round(bytes / 1024 / 1024)} MiB of records`)
  await check(records, services, name, tell)
  await apply(records, services, name, tell)
  if (settings.demo) await applyDemo(services, records)
}

async function readLoadFile(path: string): Promise<{ readonly records: LoadFile; readonly bytes: number }> {
  const text = await fileText(path, 'the records')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new UserError(`${path} is not valid JSON${whereItBreaks(text)}`)
  }
  const parsed = LoadFile.safeParse(json)
  if (parsed.success) return { records: parsed.data, bytes: text.length }
  const fault = firstFault(parsed.error)
  throw new UserError(`${path}: ${fault.path === '' ? '' : `${fault.path}: `}${fault.message}`)
}

/**
 * Where a text stops being JSON. The host's own message may quote the text, which holds secrets, and seldom says where;
 * the configuration reader, for which JSON is a special case, says both. It is too slow for a very large text.
 */
function whereItBreaks(text: string): string {
  if (text.length > largeBytes || !text.trimStart().startsWith('{')) return ''
  const read = readHcl(text, { length: text.length })
  return read.ok ? '' : `: ${read.refusal.message}`
}

/**
 * Finds whatever will be refused, while nothing is stored. A service loads all of its records or none, so that a file
 * of one section needs no check before.
 */
async function check(
  records: LoadFile,
  { secrets, scheduler, registry, catalog }: Fillable,
  name: string,
  tell: (line: string) => void,
): Promise<void> {
  if (records.secrets !== undefined) {
    await mustTakeRecords(secrets.service, name)
    const { service } = await devSecrets()
    await loadSecrets(records.secrets, service, name)
    await service.close()
  }
  if (Object.keys(records).length < 2) return
  if (records.scheduler !== undefined) {
    tell('checking the scheduler')
    succeed(await scheduler.service.load(records.scheduler, { dryRun: true }), name)
  }
  if (records.registry !== undefined) {
    tell('checking the registry')
    succeed(await registry.service.load(records.registry as never, { dryRun: true }), name)
  }
  if (records.catalog !== undefined) {
    tell('checking the catalog')
    succeed(await catalog.service.load(records.catalog as never, { dryRun: true }), name)
  }
}

/** The scheduler goes first: whether it is empty is known only once it is loaded. */
async function apply(
  records: LoadFile,
  { secrets, scheduler, registry, catalog }: Fillable,
  name: string,
  tell: (line: string) => void,
): Promise<void> {
  const start = performance.now()
  if (records.scheduler !== undefined) {
    tell('loading the scheduler')
    succeed(await scheduler.service.load(records.scheduler), name)
  }
  if (records.secrets !== undefined) await loadSecrets(records.secrets, secrets.service, name)
  if (records.registry !== undefined) {
    tell('loading the registry')
    succeed(await registry.service.load(records.registry as never), name)
  }
  if (records.catalog !== undefined) {
    tell('loading the catalog')
    succeed(await catalog.service.load(records.catalog as never), name)
  }
  tell(`loaded in ${((performance.now() - start) / 1000).toFixed(1)} s`)
}

async function mustTakeRecords(service: Secrets, name: string): Promise<void> {
  if ((await service.seal.status()).sealed)
    throw new UserError(`${name}: secrets: the secrets service starts sealed and takes no records`)
  const present = await service.kv().list()
  if (present.ok && present.value.length > 0)
    throw new UserError(
      `${name}: the secrets service has data already; records are loaded into an empty one only`,
    )
}

/** Policies and secrets go in as if they were written one after another; a path begins with the mount it belongs to. */
async function loadSecrets(
  { kv = {}, policies = {} }: NonNullable<LoadFile['secrets']>,
  service: Secrets,
  name: string,
): Promise<void> {
  for (const [policy, text] of Object.entries(policies)) {
    const written = await service.policies.write(policy, text)
    if (!written.ok)
      throw new UserError(`${name}: secrets.policies[${JSON.stringify(policy)}]: ${written.refusal.message}`)
  }
  for (const [path, data] of Object.entries(kv)) {
    const where = `${name}: secrets.kv[${JSON.stringify(path)}]`
    const [mount = '', ...rest] = path.split('/')
    if (rest.join('') === '')
      throw new UserError(`${where}: expected a mount and a path below it, as in secret/app/db`)
    const written = await service.kv(mount).write(rest.join('/'), data)
    if (!written.ok) throw new UserError(`${where}: ${written.refusal.message}`)
  }
}

/** Demo data fills what is empty and was not loaded from a file; on kept data it is there already. */
async function applyDemo(services: Fillable, records: LoadFile | undefined): Promise<void> {
  if (records?.scheduler === undefined) ignoreFilled(await services.scheduler.service.load(demoCluster()))
  if (records?.registry === undefined) ignoreFilled(await services.registry.service.load(demoRegistry()))
  if (records?.catalog === undefined) ignoreFilled(await services.catalog.service.load(demoCatalog()))
  if (records?.secrets === undefined) await demoSecrets(services.secrets.service)
}

type Loaded = { readonly ok: true } | Refused<string>

function succeed(result: Loaded | object, name: string): void {
  if (isRefused(result)) throw new UserError(`${name}: ${result.refusal.message}`)
}

function ignoreFilled(result: Loaded | object): void {
  if (isRefused(result) && result.refusal.code !== 'not_empty')
    throw new Error(`demo data: ${result.refusal.message}`)
}

const isRefused = (result: object): result is Refused<string> => 'ok' in result && result.ok === false
