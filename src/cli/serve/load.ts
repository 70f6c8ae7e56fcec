import * as z from 'zod'
import { readHcl } from '../../hcl/index.ts'
import { parsedJson } from '../../kernel/decoded.ts'
import type { Refused } from '../../kernel/index.ts'
import { isRefused } from '../../kernel/refusal.ts'
import { firstFault, strict } from '../../operation/known-fields.ts'
import type { Secrets } from '../../secrets/index.ts'
import { fileText } from '../file-text.ts'
import { progress } from '../progress.ts'
import { UserError } from '../user-error.ts'
import { Bodies, declareSecrets } from './declared-secrets.ts'
import type { OpenedCatalog } from './services/catalog.ts'
import type { openRegistry } from './services/registry.ts'
import type { openScheduler } from './services/scheduler.ts'
import type { OpenedSecrets } from './services/secrets.ts'
import type { Settings } from './settings.ts'

/** A load file: a section per service, all optional. Each service checks its own section. */
const LoadFile = strict({
  scheduler: z.unknown().optional(),
  registry: z.unknown().optional(),
  catalog: z.unknown().optional(),
  secrets: strict({
    kv: Bodies.optional(),
    policies: z.record(z.string(), z.string()).optional(),
    mounts: Bodies.optional(),
    auth: Bodies.optional(),
    users: Bodies.optional(),
    roles: Bodies.optional(),
  }).optional(),
})
export interface LoadFile extends z.infer<typeof LoadFile> {}

const sectionNames = [
  'scheduler',
  'registry',
  'catalog',
  'secrets',
] as const satisfies readonly (keyof LoadFile)[]

/** The services to load; `--only` omits some. */
export interface Fillable {
  readonly secrets?: OpenedSecrets
  readonly scheduler?: Awaited<ReturnType<typeof openScheduler>>
  readonly catalog?: OpenedCatalog
  readonly registry?: Awaited<ReturnType<typeof openRegistry>>
}

/** A larger file is not read again to find the position of an error. */
const largeBytes = 4 * 1024 * 1024

/**
 * Fills empty services with the records of `--load FILE`, or with `--demo` data. Every section is checked before the
 * first is stored, so that a bad record in the last one leaves the first one unloaded too.
 */
export async function fill(
  settings: Settings,
  services: Fillable,
  records: LoadFile | undefined,
): Promise<void> {
  const name = settings.load
  if (name === undefined || records === undefined) {
    if (settings.demo) await applyDemo(services, undefined, settings.managementToken)
    return
  }
  const shown = progress(name, { quiet: settings.json })
  try {
    const steps = stepsOf(records, services, name)
    for (const [done, step] of steps.entries()) {
      shown.report(done + 1, steps.length + 1)
      await step()
    }
    if (settings.demo) await applyDemo(services, records, settings.managementToken)
    shown.report(1, 1)
  } finally {
    shown.end()
  }
}

/** Reads the file of `--load`, if any: before data are opened, which a start that it refuses must not leave behind. */
export async function readLoadFile({ load: path, only }: Settings): Promise<LoadFile | undefined> {
  if (path === undefined) return undefined
  const text = await fileText(path, 'the records')
  const json = parsedJson(text)
  if (json === undefined) throw new UserError(`${path} is not valid JSON${whereItBreaks(text)}`)
  const parsed = LoadFile.safeParse(json)
  if (!parsed.success) {
    const fault = firstFault(parsed.error)
    throw new UserError(`${path}: ${fault.path === '' ? '' : `${fault.path}: `}${fault.message}`)
  }
  const excluded = sectionNames.find((name) => parsed.data[name] !== undefined && !only.has(name))
  if (excluded !== undefined)
    throw new UserError(
      `${path}: ${excluded}: --only excludes this service: add it there, or remove its records`,
    )
  return parsed.data
}

/**
 * The position of a JSON syntax error. The host's own message may quote the text, which contains secrets, and seldom
 * names the position; the configuration parser, which accepts JSON, returns both. It is too slow for a very large text.
 */
function whereItBreaks(text: string): string {
  if (text.length > largeBytes || !text.trimStart().startsWith('{')) return ''
  const read = readHcl(text, { length: text.length })
  return read.ok ? '' : `: ${read.refusal.message}`
}

/**
 * The phases of a load. Every refusal is found before anything is stored; a service loads all of its records or none,
 * so a file with one section needs no check beforehand.
 */
function stepsOf(records: LoadFile, services: Fillable, name: string): readonly (() => Promise<void>)[] {
  const load = (section: 'scheduler' | 'registry' | 'catalog', dryRun: boolean) => {
    const service = services[section]?.service
    if (records[section] === undefined || service === undefined) return []
    return [async () => succeed(await service.load(records[section] as never, { dryRun }), name)]
  }
  const kept = records.secrets
  const secrets = services.secrets?.service
  const checks =
    Object.keys(records).length < 2
      ? []
      : [...load('scheduler', true), ...load('registry', true), ...load('catalog', true)]
  return [
    ...(kept === undefined || secrets === undefined ? [] : [() => checkSecrets(kept, secrets, name)]),
    ...checks,
    // The scheduler goes first: whether it is empty is known only once it is loaded.
    ...load('scheduler', false),
    ...(kept === undefined || secrets === undefined ? [] : [() => loadSecrets(kept, secrets, name)]),
    ...load('registry', false),
    ...load('catalog', false),
  ]
}

async function checkSecrets(
  records: NonNullable<LoadFile['secrets']>,
  target: Secrets,
  name: string,
): Promise<void> {
  await mustTakeRecords(target, name)
  const { devSecrets } = await import('../../secrets/index.ts')
  const { service } = await devSecrets()
  await loadSecrets(records, service, name)
  await service.close()
}

async function mustTakeRecords(service: Secrets, name: string): Promise<void> {
  if ((await service.seal.status()).sealed)
    throw new UserError(`${name}: secrets: the secrets service starts sealed and takes no records`)
  const present = await service.kv().list()
  if (present.ok && present.value.length > 0)
    throw new UserError(`${name}: the secrets service already has data; load records into an empty one`)
}

/** The names of declarations in a load file, by those of the configuration file. */
const sections = { mount: 'mounts', user: 'users', role: 'roles' } as const

/** Writes everything as if it were written one after another; a path begins with its mount. */
async function loadSecrets(
  { kv = {}, policies = {}, mounts, auth, users, roles }: NonNullable<LoadFile['secrets']>,
  service: Secrets,
  name: string,
): Promise<void> {
  for (const [policy, text] of Object.entries(policies)) {
    const written = await service.policies.write(policy, text)
    if (!written.ok)
      throw new UserError(`${name}: secrets.policies[${JSON.stringify(policy)}]: ${written.refusal.message}`)
  }
  await declareSecrets(service, { mount: mounts, auth, user: users, role: roles }, { where: name, sections })
  for (const [path, data] of Object.entries(kv)) {
    const where = `${name}: secrets.kv[${JSON.stringify(path)}]`
    const [mount = '', ...rest] = path.split('/')
    if (rest.join('') === '')
      throw new UserError(`${where}: expected a mount and a path below it, such as secret/app/db`)
    const written = await service.kv(mount).write(rest.join('/'), data)
    if (!written.ok) throw new UserError(`${where}: ${written.refusal.message}`)
  }
}

/** Demo data fills services that are empty and not loaded from a file; durable data already has it. */
async function applyDemo(
  services: Fillable,
  records: LoadFile | undefined,
  token: string | undefined,
): Promise<void> {
  const { scheduler, registry, catalog, secrets } = services
  const { demoArchives, demoCatalog, demoImages, demoJob, demoRegistry, demoSecrets } = await import(
    './demo/index.ts'
  )
  const now = Date.now()
  if (scheduler && records?.scheduler === undefined) {
    const { demoCluster } = await import('../../scheduler/demo/index.ts')
    if (wasLoaded(await scheduler.service.load(demoCluster(1, now)))) await demoJob(scheduler.service, token)
  }
  if (
    registry &&
    records?.registry === undefined &&
    wasLoaded(await registry.service.load(demoRegistry(now)))
  )
    await demoArchives(registry.service, now)
  if (catalog && records?.catalog === undefined && wasLoaded(await catalog.service.load(demoCatalog())))
    await demoImages(catalog.service, now)
  if (secrets && records?.secrets === undefined) await demoSecrets(secrets.service)
}

type Loaded = { readonly ok: true } | Refused<string>

function succeed(result: Loaded | object, name: string): void {
  if (isRefused(result)) throw new UserError(`${name}: ${result.refusal.message}`)
}

/** Whether the demo records were loaded; false if the service had others before. */
function wasLoaded(result: Loaded | object): boolean {
  if (!isRefused(result)) return true
  if (result.refusal.code === 'not_empty') return false
  throw new Error(`demo data: ${result.refusal.message}`)
}
