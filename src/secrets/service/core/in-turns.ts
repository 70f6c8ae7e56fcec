import { resultInSlices } from '../../../kernel/in-slices.ts'
import { runToEnd } from '../../../kernel/run-to-end.ts'

/** A step over a longer text takes milliseconds. */
const longUnits = 1024 * 1024

/** Runs work on a text of some length: in one turn of the event loop, or in several if it is long. */
export const inTurns = <Result>(
  length: number,
  steps: Generator<undefined, Result>,
): Result | Promise<Result> => (length > longUnits ? resultInSlices(steps) : runToEnd(steps))
