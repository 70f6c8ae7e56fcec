import type { JobSpec } from '../jobs/model.ts'
import { type GroupAsk, isOpen, isWithin } from './ask.ts'
import { NodeTally } from './metrics.ts'
import type { PlacementMetrics } from './metrics-model.ts'
import type { Site } from './site.ts'

/** The sites that could take a group if they were empty, and what was counted in the search. */
export interface Search {
  readonly sites: readonly Site[]
  readonly metrics: PlacementMetrics
}

/** Finds the sites that could take a group if they were empty. */
export type Eligible = (
  job: Pick<JobSpec, 'NodePool' | 'Datacenters'>,
  ask: GroupAsk,
  sites: ReadonlyMap<string, Site>,
) => Search

/** Checks every site. */
export const eligible: Eligible = (job, ask, sites) => {
  const found: Site[] = []
  const tally = new NodeTally()
  for (const site of sites.values()) {
    const { node } = site
    if (!isOpen(node) || !isWithin(node, job)) continue
    tally.evaluated(node)
    const reason = ask.refused(node)
    if (reason === undefined) found.push(site)
    else tally.filtered(node, reason)
  }
  return { sites: found, metrics: tally.metrics([], { name: job.NodePool, size: sites.size }) }
}

/** The number of cached results. */
const remembered = 64

/** The same, cached for groups with equal requirements on the kind of node, until `forget` is called. */
export function rememberEligible(): { readonly eligible: Eligible; readonly forget: () => void } {
  const known = new Map<string, Search>()
  return {
    eligible: (job, ask, sites) => {
      const key = JSON.stringify([job.NodePool, job.Datacenters, ask.kind])
      const before = known.get(key)
      if (before !== undefined) return before
      const found = eligible(job, ask, sites)
      if (known.size >= remembered) known.clear()
      known.set(key, found)
      return found
    },
    forget: () => known.clear(),
  }
}
