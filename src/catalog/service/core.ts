import type { CryptoPort } from '../../crypto/index.ts'
import type { Reporter } from '../../kernel/event-emitter.ts'
import { type Answer, type Env, type Refused, refuse } from '../../kernel/index.ts'
import type { Tally } from '../../store/background/tally.ts'
import {
  type Blobs,
  isStoreError,
  type Replica,
  type Snapshot,
  type Store,
  type Tx,
} from '../../store/index.ts'
import type { Runner } from '../../store/transactions/runner.ts'
import type { LastUses } from '../../token/last-use.ts'
import type { TrailRecorder } from '../../trail/trail.ts'
import type { WebhookSender } from '../../webhooks/model.ts'
import type { Outbox } from '../../webhooks/outbox.ts'
import type { Caller } from '../accounts/access.ts'
import { tagOf } from '../boxes/create.ts'
import type { SizeLimits } from '../boxes/limits.ts'
import type { Box } from '../boxes/model.ts'
import type { CatalogEvent, CatalogReport } from '../events.ts'
import { type LooseBlobs, looseBlobs } from '../records.ts'
import type { UploadPolicy } from '../uploads/policy.ts'
import type { DeliverCode } from './options.ts'
import type { PasswordCheck } from './password-check.ts'
import type { Search } from './search.ts'
import type { WrongPasswords } from './wrong-passwords.ts'

/** An event with its actor and its box. */
export type AttributedEvent = CatalogEvent & Pick<CatalogReport, 'by' | 'box'>

/** The dependencies of the catalog's operations. */
export interface Core {
  /** The caller. */
  readonly caller: Caller
  readonly store: Store
  readonly view: () => Promise<Replica>
  readonly commit: Runner<AttributedEvent>['commit']
  readonly blobs: Blobs
  readonly env: () => Env
  readonly crypto: CryptoPort
  readonly uploadPolicy: UploadPolicy
  readonly sizeLimits: SizeLimits
  /** How many versions of a box are kept, where its owner has no rule. */
  readonly keepVersions: number | undefined
  readonly maxImageBytes: number | undefined
  readonly verifyChecksums: boolean
  readonly trail: TrailRecorder
  readonly lastUses: LastUses
  readonly outbox: Outbox
  readonly webhookSender: WebhookSender | undefined
  /** How long changes are kept in the audit trail. */
  readonly keepAuditMs: number
  readonly deliverCode: DeliverCode | undefined
  readonly passwordMatches: PasswordCheck
  readonly wrongPasswords: WrongPasswords
  readonly search: Search
  /** Counts the downloads of boxes, by their ids. */
  readonly tally: Tally
  readonly emit: (report: CatalogReport) => void
  readonly onError: Reporter
}

/** The result of a decision: a value with its events, and blobs that are unused once it is committed. */
export interface Decided<Value> {
  readonly ok: true
  readonly value: Value
  readonly events: readonly CatalogEvent[]
  readonly box?: Box | undefined
  readonly droppedBlobs?: readonly string[] | undefined
}

/** The current state. */
export const snapshot = async ({ view }: Pick<Core, 'view'>): Promise<Snapshot> => (await view()).fresh()

/** Decides on the current state and commits; then emits the events, and deletes unreferenced blobs. */
export async function change<Value, Code extends string = never>(
  core: Core,
  decide: (tx: Tx, env: Env) => Decided<Value> | Refused<Code>,
): Promise<Answer<Value, Code | 'contended'>> {
  let loose: LooseBlobs | undefined
  let hasMessages = false
  let answer: Answer<Value, Code>
  try {
    answer = await core.commit<Value, Code>((tx, env) => {
      const decided = decide(tx, env)
      if (!decided.ok) return decided
      const { value, events, box, droppedBlobs: blobs = [] } = decided
      loose = blobs.length === 0 ? undefined : { id: env.newId('loose'), blobs, since: env.now }
      if (loose) tx.put(looseBlobs, loose)
      const reports = events.map((event) => attributed(core.caller, event, box))
      hasMessages = false
      for (const report of reports) {
        const changed = changeOf(report)
        core.trail.record(tx, changed, env)
        hasMessages = core.outbox.record(tx, changed, env) || hasMessages
      }
      return { ok: true, value, events: reports }
    })
  } catch (error) {
    if (isStoreError(error, 'contended')) return refuse('contended', 'Too many concurrent changes: try again')
    throw error
  }
  if (answer.ok && hasMessages) core.outbox.wake()
  if (answer.ok && loose) await discard(core, loose.id, loose.blobs)
  return answer
}

/** Deletes unused blobs; failures are swept later. */
export async function discard(core: Core, id: string, blobs: readonly string[]): Promise<void> {
  try {
    for (const blob of blobs) await core.blobs.delete(blob)
    await change(core, (tx) => {
      tx.delete(looseBlobs, id)
      return { ok: true, value: undefined, events: [] }
    })
  } catch (error) {
    core.onError(error)
  }
}

/** Emits an event without a commit. */
export const tell = ({ emit, env }: Core, caller: Caller, event: CatalogEvent, box?: Box): void =>
  emit({ at: env().now, ...attributed(caller, event, box) })

/** An event for the audit trail: its subject is a box, or else an account. */
const changeOf = ({ type, by, box, ...fields }: AttributedEvent) => {
  const { username, ...detail } = { username: undefined, ...fields }
  return { type, by, subject: box ?? username ?? null, detail }
}

const attributed = (caller: Caller, event: CatalogEvent, box: Box | undefined): AttributedEvent => ({
  by: caller.kind === 'user' ? caller.username : null,
  box: box ? tagOf(box) : null,
  ...event,
})
