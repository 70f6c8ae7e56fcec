import { nextMacrotask } from './next-macrotask.ts'

/**
 * The longest slice, in milliseconds: long enough that switching costs nothing, short enough that no request notices.
 */
const sliceMs = 8

/**
 * Runs work to its end in slices, between which the event loop continues.
 *
 * @param work - yields wherever it may be interrupted; each step should take a fraction of a millisecond
 * @param ended - returns true when the remaining work is no longer needed
 * @returns whether it completed
 */
export async function inSlices(
  work: Iterator<unknown>,
  ended: () => boolean = () => false,
): Promise<boolean> {
  const rest = restingAfterSlices()
  for (;;) {
    if (work.next().done === true) return true
    const resting = rest()
    if (resting === undefined) continue
    await resting
    if (ended()) return false
  }
}

/** Returns a function that lets the event loop continue if a slice has passed since it last did. */
export function restingAfterSlices(): () => Promise<void> | undefined {
  let ends = performance.now() + sliceMs
  const rest = async () => {
    await nextMacrotask()
    ends = performance.now() + sliceMs
  }
  return () => (performance.now() < ends ? undefined : rest())
}

/** Runs work like {@link inSlices}, and returns its result. */
export async function resultInSlices<Result>(work: Generator<undefined, Result>): Promise<Result> {
  const rest = restingAfterSlices()
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    const resting = rest()
    if (resting) await resting
  }
}

/** Yields records in slices, between which the event loop continues. */
export async function* passedInSlices<T>(records: Iterable<T>): AsyncGenerator<T, void> {
  const rest = restingAfterSlices()
  for (const record of records) {
    yield record
    const resting = rest()
    if (resting) await resting
  }
}
