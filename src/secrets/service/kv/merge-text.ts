import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { readExact, writeExact } from '../../kv2/exact-json.ts'
import { merge } from '../../kv2/merge-patch.ts'
import { longUnits } from '../core/exact-body.ts'

/** Applies a merge patch like `mergePatch`; to a long text in steps, between which the event loop continues. */
export async function mergeText(target: string, patch: string): Promise<string> {
  const isLong = target.length + patch.length > longUnits
  const into = readExact(target)
  if (isLong) await nextMacrotask()
  const change = readExact(patch)
  if (isLong) await nextMacrotask()
  const merged = merge(into, change)
  if (isLong) await nextMacrotask()
  return writeExact(merged)
}
