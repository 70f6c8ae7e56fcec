import { passedInSlices } from '../kernel/in-slices.ts'
import { type Answer, type Env, type Refused, refuse } from '../kernel/index.ts'
import { type Collection, type Entry, isStoreError, type Json, type Store } from '../store/index.ts'
import { holdsData } from '../store/port/holds-data.ts'
import { ownerEntry } from '../store/realm/realm-owner.ts'
import type { RegistryRecords } from './load-wire.ts'
import { type LoadedModule, readModules } from './read-modules.ts'
import { contents, counters, modules, versions } from './records.ts'

/**
 * The result of a load.
 */
export interface Loaded {
  /** The number of given records of each kind. */
  readonly counts: { readonly modules: number }
}

/** Fills an empty registry: its records are parsed while they are stored, in one commit. */
export async function load(
  store: Store,
  records: RegistryRecords,
  env: () => Env,
  { dryRun = false }: { readonly dryRun?: boolean | undefined } = {},
): Promise<Answer<Loaded, 'bad_record' | 'not_empty'>> {
  if (await holdsData(store)) return notEmpty
  let count = 0
  let bad: Refused<'bad_record'> | undefined
  function* loaded(): Generator<LoadedModule> {
    for (const read of readModules(records, env())) {
      if (!read.ok) {
        bad = read
        return
      }
      count += 1
      yield read.value
    }
  }
  if (dryRun) for (const _ of loaded());
  else
    try {
      const entries = entriesOf(ownerEntry('registry', env()), loaded(), () => bad !== undefined)
      await store.import(entries, 1)
    } catch (error) {
      if (bad) return bad
      if (isStoreError(error, 'not_empty')) return notEmpty
      throw error
    }
  return bad ?? { ok: true, value: { counts: { modules: count } } }
}

const notEmpty = refuse('not_empty', 'the registry already has data: load records into an empty one')

/**
 * Every record of the loaded modules, as the first commit of an empty store; an invalid one aborts the import without a
 * trace.
 */
async function* entriesOf(
  owner: Entry,
  loaded: Iterable<LoadedModule>,
  isBad: () => boolean,
): AsyncGenerator<Entry> {
  yield owner
  for await (const { module, versions: published, counter } of passedInSlices(loaded)) {
    yield entry(modules, module)
    if (counter.total > 0) yield entry(counters, counter)
    for (const records of published) {
      yield entry(versions, records.version)
      yield entry(contents, records.contents)
    }
  }
  if (isBad()) throw new Error('a record is bad')
}

const entry = <T>(into: Collection<T>, record: T): Entry => ({
  key: into.keyOf(...into.parts(record)),
  // The values of these collections are JSON by their models.
  value: record as Json,
  created: 1,
  modified: 1,
})
