import { type Answer, refuse } from '../../kernel/index.ts'
import { holdsData } from '../../store/holds-data.ts'
import {
  type Collection,
  type Commit,
  type Entry,
  isStoreError,
  type Json,
  limits,
  type Snapshot,
  type Store,
  StoreError,
} from '../../store/index.ts'
import type { Account } from '../accounts/model.ts'
import { foldName } from '../boxes/names.ts'
import { accounts, boxes, downloads, versions } from '../records.ts'
import type { CatalogRecords } from '../wire/records.ts'
import { type Core, snapshot } from './core.ts'
import { type ReadBox, type ReadRecords, readRecords } from './read-records.ts'

export type { CatalogRecords } from '../wire/records.ts'

/**
 * Why records are not loaded: one of them is bad, or there are boxes already.
 *
 * @public
 */
export type LoadRefusal = 'bad_record' | 'not_empty'

/**
 * What was loaded.
 *
 * @public
 */
export interface Loaded {
  /** How many records of each kind were given. */
  readonly counts: { readonly boxes: number; readonly organizations: number }
}

/** How many commits go to the store at once. */
const commitsPerBatch = 256

/**
 * Fills a catalog that has no boxes yet. Every record is checked before the first is stored.
 *
 * @remarks
 * Owners that do not exist come into being as organizations without members; existing accounts stay as they are. Into
 * a store that holds nothing everything goes at once, or nothing does; where there are accounts it goes in many commits,
 * and a process that dies on the way leaves those that it made.
 */
export async function load(
  core: Core,
  records: CatalogRecords,
  { dryRun = false }: { readonly dryRun?: boolean | undefined } = {},
): Promise<Answer<Loaded, LoadRefusal>> {
  const env = core.env()
  const read = readRecords(records, env)
  if (!read.ok) return read
  const { store } = core
  const now = (await holdsData(store)) ? await snapshot(core) : undefined
  if (now !== undefined && now.scan({ prefix: boxes.prefix, limit: 1 }).length > 0)
    return refuse('not_empty', 'The catalog has boxes already: records are loaded into an empty one only')
  const value = {
    counts: { boxes: records.boxes?.length ?? 0, organizations: records.organizations?.length ?? 0 },
  }
  if (dryRun) return { ok: true, value }
  const puts = putsOf(now, read.value)
  if (now !== undefined) {
    await submit(store, puts, () => env.newId('commit'))
    return { ok: true, value }
  }
  try {
    await store.import(entriesOf(puts), 1)
  } catch (error) {
    // Somebody else was faster; what that was decides anew.
    if (isStoreError(error, 'not_empty')) return load(core, records)
    throw error
  }
  return { ok: true, value }
}

/** A store that holds nothing takes everything in one commit: a crash on the way leaves nothing behind. */
async function* entriesOf(puts: Iterable<Put>): AsyncGenerator<Entry> {
  for (const put of puts) yield { ...put, created: 1, modified: 1 }
}

/** One that has accounts already takes as much at once as a commit holds. */
async function submit(store: Store, puts: Iterable<Put>, newId: () => string): Promise<void> {
  let batch: Commit[] = []
  let put: Put[] = []
  const close = () => {
    const expect = put.map(({ key }) => ({ key, rev: 0 }))
    if (put.length > 0) batch.push({ id: newId(), expect, put })
    put = []
  }
  const flush = async () => {
    const verdicts = batch.length > 0 ? await store.commit(batch) : []
    if (verdicts.some(({ ok }) => !ok))
      throw new StoreError(
        'contended',
        'others made boxes or accounts while records were loaded: some are missing',
      )
    batch = []
  }
  for (const each of puts) {
    put.push(each)
    if (put.length === limits.keysPerCommit) close()
    if (batch.length === commitsPerBatch) await flush()
  }
  close()
  await flush()
}

interface Put {
  readonly key: string
  readonly value: Json
}

function* putsOf(now: Snapshot | undefined, { accounts: owners, boxes: read }: ReadRecords): Generator<Put> {
  for (const account of owners) yield* accountRecords(now, account)
  for (const box of read) yield* boxRecords(box)
}

/** A user of that name stays what it is. */
function accountRecords(now: Snapshot | undefined, account: Account) {
  const existing = now && accounts.get(now, foldName(account.username))
  return existing ? [] : recordsOf(accounts, account)
}

const boxRecords = ({ box, versions: all, downloads: count }: ReadBox) => [
  ...recordsOf(boxes, box),
  ...(count > 0 ? recordsOf(downloads, { boxId: box.id, count }) : []),
  ...all.flatMap((version) => recordsOf(versions, version)),
]

/** A new record and its unique values, as a transaction would write them. */
function recordsOf<T>(into: Collection<T>, record: T): readonly Put[] {
  const key = into.keyOf(...into.parts(record))
  // The store refuses at commit what is not JSON.
  return [
    { key, value: record as Json },
    ...into.uniqueKeys(record).map((unique) => ({ key: unique, value: key })),
  ]
}
