import { type ExactJson, partsOf, readExact } from '../../kv2/exact-json.ts'
import { merge } from '../../kv2/merge-patch.ts'

// Work on long texts in steps, between which the event loop may continue.

/** Writes a value like `writeExact`. */
export function* writeSteps(value: ExactJson): Generator<undefined, string> {
  const parts = partsOf(value)
  yield
  return parts.join('')
}

/** Applies a merge patch like `mergePatch`. */
export function* mergeSteps(target: string, patch: string): Generator<undefined, string> {
  const into = readExact(target)
  yield
  const change = readExact(patch)
  yield
  const merged = merge(into, change)
  yield
  return yield* writeSteps(merged)
}
