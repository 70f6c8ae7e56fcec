import type { Tree } from './tree.ts'

/** Work that is measured in the working tree and in BASE. */
export interface Row {
  readonly name: string
  /**
   * What its time is: the processor time of its process, which ignores the neighbours of the machine, or the time of
   * the clock, for work that waits for a disk or another process.
   */
  readonly clock: 'cpu' | 'wall'
  /** Operations of a run. */
  readonly operations: number
  /** Makes it ready and returns a run. Throws where the tree lacks what it needs. */
  readonly prepare: (tree: Tree) => Promise<() => unknown>
}

/** Calls `work` with 0, 1, 2, … in each run, going on where the last run ended. */
export function counting(operations: number, work: (n: number) => unknown): () => Promise<void> {
  let next = 0
  return async () => {
    for (const end = next + operations; next < end; next += 1) await work(next)
  }
}

/** Makes something once and returns it to everyone who asks later. */
export function madeOnce<Input, Made>(
  make: (input: Input) => Promise<Made>,
): (input: Input) => Promise<Made> {
  let made: Promise<Made> | undefined
  return (input) => {
    made ??= make(input)
    return made
  }
}

/** The value of an outcome. */
export function accepted<Value>(
  outcome:
    | { readonly ok: true; readonly value: Value }
    | { readonly ok: false; readonly refusal: { readonly message: string } },
): Value {
  if (!outcome.ok) throw new Error(outcome.refusal.message)
  return outcome.value
}
