import type { TaskGroup } from '../jobs/task-group.ts'
import type { DistinctScope, GroupAsk } from './ask.ts'
import { interpolated, nodeLookup } from './interpolate.ts'
import type { ExistingAllocation } from './placer-input.ts'
import type { Site } from './site.ts'

/** Enforces that allocations do not share a node, or a value of an attribute. */
export function distinctness(
  ask: GroupAsk,
  group: TaskGroup,
  sites: ReadonlyMap<string, Site>,
  existing: Iterable<ExistingAllocation>,
) {
  const rules = [
    ...(ask.distinctHosts === undefined
      ? []
      : [
          rule(
            ask.distinctHosts,
            1,
            (site) => site.node.ID,
            () => 'distinct_hosts',
          ),
        ]),
    ...ask.distinctProperties.map(({ scope, limit, constraint }) => {
      const property = interpolated(constraint.LTarget)
      return rule(
        scope,
        limit,
        (site) => property.in(nodeLookup(site.node)),
        (value) =>
          value === undefined
            ? `missing property "${constraint.LTarget}"`
            : `distinct_property: ${constraint.LTarget}=${value} used by ${limit} allocs`,
      )
    }),
  ]
  const add = (site: Site, of: string, more: number) => {
    for (const each of rules) {
      if (each.scope === 'group' && of !== group.Name) continue
      const value = each.valueIn(site)
      if (value !== undefined) each.placed.set(value, (each.placed.get(value) ?? 0) + more)
    }
  }
  if (rules.length > 0)
    for (const { nodeId, group: of } of existing) {
      const site = sites.get(nodeId)
      if (site !== undefined) add(site, of, 1)
    }
  return {
    isShared: rules.length > 0,
    add,
    /** Why a site cannot take one more; `undefined` if it can. */
    refused: (site: Site): string | undefined => {
      for (const { valueIn, limit, placed, reason } of rules) {
        const value = valueIn(site)
        if (value === undefined || (placed.get(value) ?? 0) >= limit) return reason(value)
      }
      return undefined
    },
  }
}

const rule = (
  scope: DistinctScope,
  limit: number,
  valueIn: (site: Site) => string | undefined,
  reason: (value: string | undefined) => string,
) => ({ scope, limit, valueIn, reason, placed: new Map<string, number>() })
