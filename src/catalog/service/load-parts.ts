import { type Answer, type Refused, refuse } from '../../kernel/index.ts'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { type Snapshot, StoreError, type Tx } from '../../store/index.ts'
import { tagKey } from '../boxes/create.ts'
import type { Box } from '../boxes/model.ts'
import { foldName } from '../boxes/names.ts'
import {
  accounts,
  boxes,
  downloads,
  type LoadedRecord,
  type LoadPart,
  loadParts,
  loadProgress,
  versions,
} from '../records.ts'
import type { Version } from '../versions/model.ts'
import { type Core, change, snapshot } from './core.ts'
import type { ReadBox, ReadRecords } from './read-records.ts'

/** A commit holds 64 keys: a box has two, and four are for the part's progress and for marks. */
const recordsPerCommit = 30

/** All parts are written in one commit. */
const maxParts = 60

/** Owners come before boxes. */
const ownersPart = '00'

/** Whether there are boxes, or a load will create some. */
export const hasBoxes = (now: Snapshot): boolean =>
  [boxes, loadParts].some(({ prefix }) => now.scan({ prefix, limit: 1 }).length > 0)

export const notEmpty = refuse('not_empty', 'The catalog already has boxes: load records into an empty one')

/** Commits a load; {@link finishLoads} stores its records. */
export function beginLoad(
  core: Core,
  records: ReadRecords,
): Promise<Answer<undefined, 'not_empty' | 'contended'>> {
  const parts = partsOf(records)
  return change<undefined, 'not_empty'>(core, (tx) => {
    // No box is created, and no other load begins, concurrently.
    for (const { name } of [boxes, loadParts]) tx.guard(name)
    if (hasBoxes(tx.now)) return notEmpty as Refused<'not_empty'>
    for (const part of parts) tx.put(loadParts, part)
    return { ok: true, value: undefined, events: [] }
  })
}

/** The pending records of a load. It takes effect from its start: new objects must not clash with them. */
const recordsToCome = (tx: Tx): readonly LoadedRecord[] =>
  tx
    .list(loadParts, [])
    .flatMap(({ value: { part, records } }) =>
      records.slice(loadProgress.get(tx.now, part)?.value.stored ?? 0),
    )

/** The box that has a name, or that a load in progress will store under it. */
export function boxNamed(tx: Tx, username: string, name: string): Box | undefined {
  const there = tx.get(boxes, foldName(username), foldName(name))?.value
  if (there) return there
  const tag = tagKey({ username, name })
  for (const record of recordsToCome(tx)) if ('box' in record && tagKey(record.box) === tag) return record.box
  return undefined
}

/** The version that has a number within a box, or that a load in progress will store under it. */
export function versionNumbered(tx: Tx, boxId: string, canonical: string): Version | undefined {
  const there = tx.get(versions, boxId, canonical)?.value
  if (there) return there
  for (const record of recordsToCome(tx))
    if ('version' in record && record.version.boxId === boxId && record.version.canonical === canonical)
      return record.version
  return undefined
}

/** Stores the pending records of loads, running or interrupted. */
export async function finishLoads(core: Core): Promise<void> {
  const parts = loadParts.list(await snapshot(core)).map(({ value }) => value.part)
  if (parts.includes(ownersPart)) await finishPart(core, ownersPart)
  await Promise.all(parts.filter((part) => part !== ownersPart).map((part) => finishPart(core, part)))
}

async function finishPart(core: Core, part: string): Promise<void> {
  for (let isStored = false; !isStored; ) {
    const answer = await change(core, (tx) => ({ ok: true, value: storeSome(tx, part), events: [] }))
    if (!answer.ok) throw new StoreError('contended', answer.refusal.message)
    isStored = answer.value
    // A store in memory commits synchronously: the event loop must continue in between.
    await nextMacrotask()
  }
}

/** Stores as much of a part as fits; returns whether it was the last of the part. */
function storeSome(tx: Tx, part: string): boolean {
  const records = tx.get(loadParts, part)?.value.records ?? []
  const from = tx.get(loadProgress, part)?.value.stored ?? 0
  const stored = Math.min(from + recordsPerCommit, records.length)
  for (const record of records.slice(from, stored)) store(tx, record)
  if (stored < records.length) {
    tx.put(loadProgress, { part, stored })
    return false
  }
  tx.delete(loadParts, part)
  tx.delete(loadProgress, part)
  return true
}

/** Stores a record of a load, unless its account exists already, or its box was deleted. */
function store(tx: Tx, record: LoadedRecord): void {
  if ('account' in record) {
    if (!tx.get(accounts, foldName(record.account.username))) tx.put(accounts, record.account)
  } else if ('box' in record) tx.put(boxes, record.box)
  else if ('downloads' in record) {
    if (tx.find(boxes, 'id', record.downloads.boxId)) tx.put(downloads, record.downloads)
  } else if (tx.find(boxes, 'id', record.version.boxId)) tx.put(versions, record.version)
}

/** Owners, then boxes with all their records, in parts of similar size. */
function partsOf({ accounts: owners, boxes: read }: ReadRecords): readonly LoadPart[] {
  const ofBoxes = read.map(recordsOf)
  const total = ofBoxes.reduce((sum, { length }) => sum + length, 0)
  const least = Math.max(recordsPerCommit, Math.ceil(total / maxParts))
  let last: LoadedRecord[] = []
  const parts: LoadedRecord[][] = [owners.map((account) => ({ account })), last]
  for (const records of ofBoxes) {
    if (last.length >= least) {
      last = []
      parts.push(last)
    }
    last.push(...records)
  }
  return parts.map((records, at) => ({ part: String(at).padStart(2, '0'), records }))
}

/** The records of a box: the box itself first. */
export const recordsOf = ({ box, downloads: count, versions: all }: ReadBox): readonly LoadedRecord[] => [
  { box },
  ...(count > 0 ? [{ downloads: { boxId: box.id, count } }] : []),
  ...all.map((version) => ({ version })),
]
