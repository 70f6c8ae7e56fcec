import { collection, type Snapshot, type Tx } from '../store/index.ts'

/** A sign-in, or a code, that was answered; kept until it would have ended, so that none is answered twice. */
export interface Answered {
  readonly at: number
  readonly id: string
}

export const answeredSignIns = collection<Answered>({
  name: 'signin',
  key: ({ at, id }) => [at, id],
  scopes: () => [],
})

/** Records the answer of a sign-in; false if it was answered before. */
export function answerOnce(
  tx: Tx<Answered>,
  { expiresAt: at, id }: { readonly expiresAt: number; readonly id: string },
): boolean {
  if (tx.get(answeredSignIns, at, id)) return false
  tx.put(answeredSignIns, { at, id })
  return true
}

/** Sign-ins forgotten per commit. */
const batch = 64

/** Forgets some sign-ins that have ended; returns their number. */
export function forgetAnswered(tx: Tx<Answered>, now: number): number {
  const ended = tx.now
    .scan({ prefix: answeredSignIns.prefix, limit: batch })
    .map((entry) => answeredSignIns.stored(entry).value)
    .filter(({ at }) => at <= now)
  for (const { at, id } of ended) tx.delete(answeredSignIns, at, id)
  return ended.length
}

/** When the next one ends; `undefined` if there is none. */
export function nextAnsweredEnd(now: Snapshot): number | undefined {
  const [first] = now.scan({ prefix: answeredSignIns.prefix, limit: 1 })
  return first && answeredSignIns.stored(first).value.at
}
