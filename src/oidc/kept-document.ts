import type { Answer, Env } from '../kernel/index.ts'

/** For how long a document is used without asking again, in milliseconds. */
export const freshMs = 600_000

/** For how long it is used while its host does not answer, in milliseconds. */
export const keptMs = 86_400_000

/** The shortest time between two calls, in milliseconds, however many tokens arrive. */
export const pauseMs = 10_000

/** A document of a provider, fetched when it is needed. */
export interface KeptDocument<Value, Code extends string> {
  /** The document; a call that fails is no refusal as long as an earlier one can be used. */
  readonly current: () => Promise<Answer<Value, Code>>
  /** The document, fetched again unless that was done a moment ago. */
  readonly renewed: () => Promise<Answer<Value, Code>>
}

/**
 * Keeps a document of a provider. Callers that need it at the same time share one call; calls are rare, also while the
 * host does not answer; and while it does not, the last document remains in use for a day.
 */
export function keptDocument<Value, Code extends string>(
  load: () => Promise<Answer<Value, Code>>,
  env: () => Pick<Env, 'now'>,
): KeptDocument<Value, Code> {
  let last: { readonly answer: Answer<Value, Code>; readonly at: number } | undefined
  let good: { readonly answer: Answer<Value, Code>; readonly at: number } | undefined
  let pending: Promise<void> | undefined

  const age = (of: { readonly at: number } | undefined) => (of ? env().now - of.at : Number.POSITIVE_INFINITY)

  const call = async (): Promise<void> => {
    const answer = await load()
    last = { answer, at: env().now }
    if (answer.ok) good = last
  }
  const best = async (isDue: boolean): Promise<Answer<Value, Code>> => {
    if (isDue) pending ??= call().finally(() => (pending = undefined))
    await pending
    // A call that another caller started has ended, so there is an answer.
    return good !== undefined && age(good) < keptMs ? good.answer : (last?.answer ?? load())
  }
  return {
    current: async () =>
      good !== undefined && age(good) < freshMs ? good.answer : best(age(last) >= pauseMs),
    renewed: () => best(age(last) >= pauseMs),
  }
}
