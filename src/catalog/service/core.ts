import type { CryptoPort } from '../../crypto/index.ts'
import { type Answer, type Env, type Instant, type Refused, refuse } from '../../kernel/index.ts'
import type { Tally } from '../../store/background/tally.ts'
import {
  type Blobs,
  isStoreError,
  type Replica,
  type Snapshot,
  type Store,
  type Tx,
  transact,
} from '../../store/index.ts'
import { type Caller, host } from '../accounts/access.ts'
import { tagOf } from '../boxes/create.ts'
import type { SizeLimits } from '../boxes/limits.ts'
import type { Box } from '../boxes/model.ts'
import type { CatalogEvent, CatalogReport } from '../events.ts'
import { looseBlobs } from '../records.ts'
import type { UploadPolicy } from '../uploads/policy.ts'
import type { DeliverCode } from './options.ts'

/** What all parts of a catalog share. */
export interface Core {
  readonly store: Store
  readonly view: () => Promise<Replica>
  readonly blobs: Blobs
  readonly env: () => Env
  readonly crypto: CryptoPort
  readonly uploadPolicy: UploadPolicy
  readonly sizeLimits: SizeLimits
  readonly maxImageBytes: number | undefined
  readonly verifyChecksums: boolean
  readonly deliverCode: DeliverCode | undefined
  /** Counts the downloads of boxes, by their ids. */
  readonly tally: Tally
  readonly emit: (report: CatalogReport) => void
  readonly onError: (error: unknown) => void
}

/** What a decision comes to: a value with its events, and blobs that are nobody's image once it is committed. */
export interface Decided<Value> {
  readonly ok: true
  readonly value: Value
  readonly events: readonly CatalogEvent[]
  readonly box?: Box | undefined
  readonly droppedBlobs?: readonly string[] | undefined
}

/** Everything as of now. */
export const snapshot = async (core: Core): Promise<Snapshot> => (await core.view()).fresh()

/** Everything as of now, with the downloads that were noted and are not stored yet. */
export interface Counted {
  readonly now: Snapshot
  readonly waiting: ReadonlyMap<string, number>
}

/** Everything as of now, each download once. */
export async function counted(core: Core): Promise<Counted> {
  const view = await core.view()
  await view.fresh()
  await core.tally.rested()
  return { now: view.stale(), waiting: core.tally.waiting() }
}

/** Decides on the present state and commits; then tells what happened, and deletes the bytes it orphaned. */
export async function change<Value, Code extends string>(
  core: Core,
  caller: Caller,
  decide: (tx: Tx, env: Env) => Decided<Value> | Refused<Code>,
): Promise<Answer<Value, Code | 'contended'>> {
  const env = core.env()
  const loose = env.newId('loose')
  let result: Decided<Value> | Refused<Code>
  try {
    const view = await core.view()
    ;({ result } = await transact(
      view,
      () => env.newId('commit'),
      (tx) => {
        const decided = decide(tx, env)
        const { droppedBlobs: blobs = [] } = decided.ok ? decided : {}
        if (blobs.length > 0) tx.put(looseBlobs, { id: loose, blobs, since: env.now })
        return decided
      },
    ))
  } catch (error) {
    if (isStoreError(error, 'contended'))
      return refuse('contended', 'Too many others are changing this at the same time: try again')
    throw error
  }
  if (!result.ok) return result
  tell(core, caller, result.events, env.now, result.box)
  if (result.droppedBlobs?.length) await discard(core, loose, result.droppedBlobs)
  return { ok: true, value: result.value }
}

/** Deletes loose blobs; what cannot be deleted now is swept later. */
export async function discard(core: Core, id: string, blobs: readonly string[]): Promise<void> {
  try {
    for (const blob of blobs) await core.blobs.delete(blob)
    await change(core, host, (tx) => {
      tx.delete(looseBlobs, id)
      return { ok: true, value: undefined, events: [] }
    })
  } catch (error) {
    core.onError(error)
  }
}

/** Passes events on. */
export function tell(
  core: Core,
  caller: Caller,
  events: readonly CatalogEvent[],
  at: Instant,
  box?: Box,
): void {
  const by = caller.kind === 'user' ? caller.username : null
  for (const event of events) core.emit({ at, by, box: box ? tagOf(box) : null, ...event })
}
