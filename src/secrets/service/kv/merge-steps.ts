import { readExact, writeExact } from '../../kv2/exact-json.ts'
import { merge } from '../../kv2/merge-patch.ts'

/** Applies a merge patch to a long text like `mergePatch`, in steps between which the event loop may continue. */
export function* mergeSteps(target: string, patch: string): Generator<undefined, string> {
  const into = readExact(target)
  yield
  const change = readExact(patch)
  yield
  const merged = merge(into, change)
  yield
  return writeExact(merged)
}
