import type { Refused } from '../../../kernel/index.ts'
import type { Snapshot } from '../../../store/index.ts'
import type { Watched } from '../../blocking/long-polls.ts'
import { effectiveWait } from '../../blocking/wait.ts'
import { type MayBeSerialized, type SerializedList, serialized } from '../../wire/serialized-list.ts'
import type { Found, ReadCall } from '../call.ts'
import type { Cluster } from '../cluster.ts'
import { hasWaited } from '../enter.ts'

/** The result of a read of one snapshot. */
export interface Look<Value> {
  readonly value: Value
  readonly index: number
  /** The keys that must change before the answer can. */
  readonly keys: readonly string[]
  readonly nextToken?: string | undefined
  /** The value as JSON, if the list has it. */
  readonly written?: SerializedList | undefined
}

/** A read that found nothing, or nothing that the caller can see. */
export type Missing<Code extends string> = Refused<Code> & {
  readonly index: number
  readonly keys: readonly string[]
}

/** Returns a refusal without waiting for the index that the caller named. */
export const withoutWaiting = { index: Number.POSITIVE_INFINITY, keys: [] } as const

/**
 * Answers a read from a snapshot, after waiting for news if the caller asked for that. Refusals wait too: a missing
 * object may appear.
 *
 * @param question - identifies the read and the rights of its caller: callers with the same values share an answer
 */
export function answerRead<Value, Code extends string = never>(
  { polls, env, waits, consistency }: Cluster,
  call: ReadCall,
  now: Snapshot,
  question: readonly unknown[],
  look: (now: Snapshot) => Look<Value> | Missing<Code>,
): Found<Value> | Refused<Code> | Promise<Found<Value> | Refused<Code>> {
  const watched = (snapshot: Snapshot): Watched<Found<Value> | Refused<Code>> => {
    const seen = look(snapshot)
    const { index, keys } = seen
    if ('refusal' in seen) return { answer: { ok: false, refusal: seen.refusal }, index, keys }
    const lastContact = consistency.lastContact()
    const knownLeader = consistency.knownLeader()
    const { value, nextToken } = seen
    const list = seen.written
    const answer: Found<Value> & MayBeSerialized =
      list === undefined
        ? { ok: true, value, index, nextToken, lastContact, knownLeader }
        : { ok: true, value, index, nextToken, lastContact, knownLeader, [serialized]: list }
    return { answer, index, keys }
  }
  if (!mayWait(call)) return watched(now).answer
  return polls.ask(JSON.stringify(question), now, watched, {
    index: call.index ?? 0,
    waitMs: effectiveWait(call.waitMs, fraction(env().newId('wait')), waits),
    signal: call.signal,
  })
}

/** Whether a call can wait for news. */
export const mayWait = (call: ReadCall): boolean => !hasWaited(call) && (call.index ?? 0) !== 0

/** Answers immediately, without waiting for changes. */
export const foundNow = <Value>({ consistency }: Cluster, value: Value, index: number): Found<Value> => ({
  ok: true,
  value,
  index,
  lastContact: consistency.lastContact(),
  knownLeader: consistency.knownLeader(),
})

/** A number in [0, 1) from an identifier: different identifiers, different numbers. */
function fraction(id: string): number {
  let hash = 2_166_136_261
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 16_777_619)
  return (hash >>> 0) / 4_294_967_296
}
