import { compareText } from '../../../paging/index.ts'
import type { Snapshot } from '../../../store/index.ts'
import type { NodePool } from '../../pools/model.ts'
import { builtInPools } from '../../pools/rules.ts'
import { poolRecords } from '../../records/collections.ts'
import { indexed, withIndexes } from '../../records/tables.ts'

/** All pools in order of their names, the built-in ones among them. */
export type PoolsAt = (now: Snapshot) => readonly NodePool[]

/** Lists pools; the list is cached until a pool changes. */
export function poolsAt(): PoolsAt {
  let kept: { readonly index: number; readonly pools: readonly NodePool[] } | undefined
  return (now) => {
    const index = now.get(poolRecords.markOf())?.modified ?? 0
    if (kept?.index !== index) {
      const made = poolRecords
        .list(now)
        .map(({ value, created, modified }) => Object.freeze(withIndexes(value, created, modified)))
      const pools = [...builtInPools, ...made].sort((a, b) => compareText(a.Name, b.Name))
      kept = { index, pools }
    }
    return kept.pools
  }
}

/** One pool. */
export const poolAt = (now: Snapshot, name: string): NodePool | undefined =>
  builtInPools.find(({ Name }) => Name === name) ?? indexed(poolRecords, now, name)
