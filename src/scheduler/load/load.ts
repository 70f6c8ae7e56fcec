import { type Env, type Refused, refuse } from '../../kernel/index.ts'
import { type Entry, isStoreError, type Store } from '../../store/index.ts'
import { holdsData } from '../../store/port/holds-data.ts'
import { ownerEntry } from '../../store/realm/realm-owner.ts'
import { checkRecords } from './check.ts'
import { entriesOf } from './entries.ts'
import { kindsOf, type RecordKind } from './kinds.ts'

/**
 * The result of a load.
 */
export interface Loaded {
  readonly ok: true
  readonly value: {
    /** The number of records of each kind. */
    readonly counts: Readonly<Record<RecordKind, number>>
    /** The newest index, given or assigned. */
    readonly index: number
  }
}

/**
 * Fills an empty store with records in wire form. Everything is checked before anything is stored, and a bad record
 * is named by its path: `scheduler.jobs[3].Namespace`.
 *
 * @remarks
 * Given indexes are kept, and the head starts at the largest; records without any count up from there in file order.
 * With `dryRun` nothing is stored.
 */
export async function loadRecords(
  store: Store,
  records: unknown,
  { env, region, dryRun }: { readonly env: Env; readonly region: string; readonly dryRun: boolean },
): Promise<Loaded | Refused<'bad_record' | 'not_empty'>> {
  const checked = checkRecords(records)
  if (!checked.ok) return checked
  const { entries: loaded, head } = entriesOf(checked.value, env, region)
  const entries = [ownerEntry('scheduler', env, head), ...loaded]
  if (await holdsData(store)) return notEmpty()
  try {
    if (!dryRun) await store.import(streamed(entries), head)
  } catch (error) {
    if (isStoreError(error, 'not_empty')) return notEmpty()
    throw error
  }
  const counts = Object.fromEntries(
    kindsOf(checked.value).map(([kind, rows]) => [kind, rows.length]),
  ) as Loaded['value']['counts'] // every kind was counted
  return { ok: true, value: { counts, index: head } }
}

const notEmpty = () => refuse('not_empty', 'the scheduler already has data: load records into an empty one')

async function* streamed(entries: readonly Entry[]): AsyncIterable<Entry> {
  yield* entries
}
