import type * as z from 'zod'
import { formatPath } from '../http/index.ts'
import { type Answer, type Env, refuse } from '../kernel/index.ts'
import { firstFault } from '../operation/known-fields.ts'
import { dayOf } from './downloads/count.ts'
import type { DownloadCounter } from './downloads/model.ts'
import { ModuleRecord, type OnlyShown, UnreadRecords } from './load-wire.ts'
import type { Module } from './modules/model.ts'
import { addressProblem, foldName, formatAddress } from './modules/names.ts'
import { compareVersions } from './versions/number.ts'
import { describeVersion, type PublishedRecords } from './versions/publish.ts'

/** A valid module of a load file, ready to store. */
export interface LoadedModule {
  readonly module: Module
  readonly versions: readonly PublishedRecords[]
  readonly counter: DownloadCounter
}

type Read<Value> = Answer<Value, 'bad_record'>

/**
 * Parses a load file module by module, so that a large one is never in memory twice; stops after the first invalid
 * record, which is named by its path: `registry.modules[1].versions[0].source`.
 */
export function* readModules(records: unknown, env: Env): Generator<Read<LoadedModule>> {
  const parsed = UnreadRecords.safeParse(records)
  if (!parsed.success) return yield badIssue(parsed.error, ['registry'])
  const seenAt = new Map<string, number>()
  for (const [index, unread] of parsed.data.modules.entries()) {
    const where = `registry.modules[${index}]`
    const read = readModule(unread, index, env)
    if (!read.ok) return yield read
    const address = formatAddress(read.value.module)
    const earlier = seenAt.get(foldName(address))
    if (earlier !== undefined)
      return yield badRecord(where, `${address} is already registry.modules[${earlier}]`)
    seenAt.set(foldName(address), index)
    yield read
  }
}

function readModule(unread: unknown, index: number, env: Env): Read<LoadedModule> {
  const parsed = ModuleRecord.safeParse(unread)
  const path = ['registry', 'modules', index]
  if (!parsed.success) return badIssue(parsed.error, path)
  const where = formatPath(path)
  const record = parsed.data
  const { namespace, name, provider, owner, description, source, verified, labels, ...more } = record
  const { downloads, daily_downloads: daily, published_at, versions: listed, ...leftOut } = more
  void (leftOut satisfies OnlyShown<typeof leftOut>)
  const misnamed = addressProblem(record)
  if (misnamed) return badRecord(`${where}.${misnamed.refusal.detail?.['part']}`, misnamed.refusal.message)

  const dated = Object.values(daily).reduce((sum, count) => sum + count, 0)
  if (dated > downloads)
    return badRecord(`${where}.daily_downloads`, `they are ${dated}, of ${downloads} downloads in total`)

  const id = env.newId('module')
  const byNumber = new Map<string, Described>()
  for (const [at, version] of listed.entries()) {
    const here = `${where}.versions[${at}]`
    const described = describeVersion(
      id,
      { ...version, publishedMicros: version.published_at ?? published_at },
      env,
    )
    if (!described.ok)
      return badRecord(`${here}.${fieldOf[described.refusal.code]}`, described.refusal.message)
    const { number } = described.value.records.version
    if (byNumber.has(number)) return badRecord(`${here}.version`, `version ${number} is given twice`)
    byNumber.set(number, described.value)
  }
  const versions = [...byNumber.values()].sort((a, b) => compareVersions(a.parsed, b.parsed))
  const published = versions.map(({ records, characters }) => ({
    number: records.version.number,
    publishedMicros: records.version.publishedMicros,
    characters,
  }))
  const described = { owner, description, source, verified, ...(labels ? { labels } : {}) }
  const module = { id, namespace, name, provider, ...described, versions: published }
  const days = Object.entries(daily).map(([date, count]) => [dayOf(Date.parse(date)), count])
  const counter = { moduleId: id, total: downloads, days: Object.fromEntries(days) }
  return { ok: true, value: { module, versions: versions.map(({ records }) => records), counter } }
}

type Described = Extract<ReturnType<typeof describeVersion>, { ok: true }>['value']

/** The path of the fault in a version's record. */
const fieldOf = {
  invalid_version: 'version',
  invalid_source: 'source',
  invalid_submodule: 'submodules',
} as const

const badRecord = (path: string, message: string) => refuse('bad_record', `${path}: ${message}`, { path })

const badIssue = (error: z.ZodError, at: readonly PropertyKey[]) => {
  const { path, message } = firstFault(error, at)
  return badRecord(path, message)
}
