/** Runs work that can be done in slices to its end, in one turn. */
export function atOnce<Result>(work: Generator<undefined, Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
