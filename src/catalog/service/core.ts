import type { CryptoPort } from '../../crypto/index.ts'
import { type Answer, type Env, type Instant, type Refused, refuse } from '../../kernel/index.ts'
import {
  type Blobs,
  isStoreError,
  type Replica,
  type Snapshot,
  type Store,
  type Tx,
  transact,
} from '../../store/index.ts'
import type { Caller } from '../accounts/access.ts'
import { tagOf } from '../boxes/create.ts'
import type { Box } from '../boxes/model.ts'
import type { CatalogEvent, CatalogReport } from '../events.ts'
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
  readonly maxImageBytes: number | undefined
  readonly verifyChecksums: boolean
  readonly deliverCode: DeliverCode | undefined
  readonly announce: (report: CatalogReport) => void
  readonly onError: (error: unknown) => void
}

/** What a decision comes to: a value with its events, and blobs that nothing refers to once it is committed. */
export interface Decided<Value> {
  readonly ok: true
  readonly value: Value
  readonly events: readonly CatalogEvent[]
  readonly box?: Box | undefined
  readonly droppedBlobs?: readonly string[] | undefined
}

/** Everything as of now. */
export const snapshot = async (core: Core): Promise<Snapshot> => (await core.view()).fresh()

/** Decides on the present state and commits; then tells what happened, and deletes the bytes it orphaned. */
export async function change<Value, Code extends string>(
  core: Core,
  caller: Caller,
  decide: (tx: Tx, env: Env) => Decided<Value> | Refused<Code>,
): Promise<Answer<Value, Code | 'contended'>> {
  const env = core.env()
  let result: Decided<Value> | Refused<Code>
  try {
    const view = await core.view()
    ;({ result } = await transact(
      view,
      () => env.newId('commit'),
      (tx) => decide(tx, env),
    ))
  } catch (error) {
    if (isStoreError(error, 'contended'))
      return refuse('contended', 'Too many others are changing this at the same time: try again')
    throw error
  }
  if (!result.ok) return result
  tell(core, caller, result.events, env.now, result.box)
  for (const blob of result.droppedBlobs ?? []) await dropBlob(core, blob)
  return { ok: true, value: result.value }
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
  for (const event of events) core.announce({ at, by, box: box ? tagOf(box) : null, event })
}

/** Deletes bytes nobody refers to; what cannot be deleted now is swept later. */
export async function dropBlob(core: Core, id: string): Promise<void> {
  try {
    await core.blobs.delete(id)
  } catch (error) {
    core.onError(error)
  }
}
