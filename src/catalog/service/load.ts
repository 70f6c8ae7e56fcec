import { passedInSlices } from '../../kernel/in-slices.ts'
import type { Answer, Env } from '../../kernel/index.ts'
import { type Collection, type Entry, isStoreError, type Json, StoreError } from '../../store/index.ts'
import { holdsData } from '../../store/port/holds-data.ts'
import { ownerEntry } from '../../store/realm/realm-owner.ts'
import { accounts, boxes, downloads, versions } from '../records.ts'
import type { CatalogRecords } from '../wire/records.ts'
import { type Core, snapshot } from './core.ts'
import { beginLoad, finishLoads, hasBoxes, notEmpty, recordsOf } from './load-parts.ts'
import { type ReadRecords, readRecords } from './read-records.ts'

export type { CatalogRecords } from '../wire/records.ts'

/**
 * The result of a load.
 */
export interface Loaded {
  /** The number of given records of each kind. */
  readonly counts: { readonly boxes: number; readonly organizations: number }
}

/**
 * Fills a catalog that has no boxes yet. Every record is checked before the first is stored.
 *
 * @remarks
 * Creates missing owners as organizations without members; existing accounts stay unchanged. Loading an empty store is
 * one atomic commit. When accounts already exist, one commit records the whole load and later commits store it: the
 * load has taken effect after the first, and if the process dies, the next process that opens or sweeps the store
 * finishes it.
 */
export async function load(
  core: Core,
  records: CatalogRecords,
  { dryRun = false }: { readonly dryRun?: boolean | undefined } = {},
): Promise<Answer<Loaded, 'bad_record' | 'not_empty'>> {
  const read = await readRecords(records, core.env())
  if (!read.ok) return read
  const { store } = core
  const holds = await holdsData(store)
  if (holds && hasBoxes(await snapshot(core))) return notEmpty
  const value = {
    counts: { boxes: records.boxes?.length ?? 0, organizations: records.organizations?.length ?? 0 },
  }
  if (dryRun) return { ok: true, value }
  if (!holds)
    try {
      await store.import(entriesOf(read.value, core.env()), 1)
      return { ok: true, value }
    } catch (error) {
      // Another writer was faster: decide again on the new state.
      if (isStoreError(error, 'not_empty')) return load(core, records)
      throw error
    }
  const begun = await beginLoad(core, read.value)
  if (begun.ok) await finishLoads(core)
  else if (begun.refusal.code === 'not_empty') return notEmpty
  else throw new StoreError('contended', begun.refusal.message)
  return { ok: true, value }
}

/** An empty store takes everything in one commit: a crash leaves nothing behind. */
async function* entriesOf({ accounts: owners, boxes: read }: ReadRecords, env: Env): AsyncGenerator<Entry> {
  yield ownerEntry('catalog', env)
  for await (const owner of passedInSlices(owners)) yield* entriesFor(accounts, owner)
  for await (const each of passedInSlices(read))
    for (const record of recordsOf(each))
      if ('box' in record) yield* entriesFor(boxes, record.box)
      else if ('downloads' in record) yield* entriesFor(downloads, record.downloads)
      else if ('version' in record) yield* entriesFor(versions, record.version)
}

/** A new record and its unique values, as a transaction would write them. */
function entriesFor<T>(into: Collection<T>, record: T): readonly Entry[] {
  const key = into.keyOf(...into.parts(record))
  const entry = (at: string, value: Json) => ({ key: at, value, created: 1, modified: 1 })
  // The store refuses values that are not JSON.
  return [entry(key, record as Json), ...into.uniqueKeys(record).map((unique) => entry(unique, key))]
}
