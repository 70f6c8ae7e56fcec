import { collection, type Snapshot, type Tx } from '../store/index.ts'
import { usualLeeways } from './check-claims.ts'

/** A sign-in, or a code, that was answered, so that none is answered twice. */
export interface Answered {
  /** When it can be forgotten. */
  readonly at: number
  readonly id: string
}

export const answeredSignIns = collection<Answered>({
  name: 'signin',
  key: ({ at, id }) => [at, id],
  scopes: () => [],
})

/** How much longer than the sign-in its record is kept: another server's clock may be behind. */
const clockSkewMs = usualLeeways.clockSkew * 1000

/** Records the answer of a sign-in; false if it was answered before. */
export function answerOnce(
  tx: Tx<Answered>,
  { expiresAt, id }: { readonly expiresAt: number; readonly id: string },
): boolean {
  const at = expiresAt + clockSkewMs
  if (tx.get(answeredSignIns, at, id)) return false
  tx.put(answeredSignIns, { at, id })
  return true
}

/** Sign-ins forgotten per commit. */
const batch = 64

/** Forgets some sign-ins that no server accepts any more; returns their number. */
export function forgetAnswered(tx: Tx<Answered>, now: number): number {
  const ended = tx.now
    .scan({ prefix: answeredSignIns.prefix, limit: batch })
    .map((entry) => answeredSignIns.stored(entry).value)
    .filter(({ at }) => at <= now)
  for (const { at, id } of ended) tx.delete(answeredSignIns, at, id)
  return ended.length
}

/** When the next one can be forgotten; `undefined` if there is none. */
export function nextAnsweredEnd(now: Snapshot): number | undefined {
  const [first] = now.scan({ prefix: answeredSignIns.prefix, limit: 1 })
  return first && answeredSignIns.stored(first).value.at
}
