import type { JobSpec } from '../jobs/model.ts'
import { type GroupAsk, isOpen, isWithin } from './ask.ts'
import type { Site } from './site.ts'

/** Finds the sites that could take a group if they were empty. */
export type Eligible = (
  job: Pick<JobSpec, 'NodePool' | 'Datacenters'>,
  ask: GroupAsk,
  sites: ReadonlyMap<string, Site>,
) => readonly Site[]

/** Checks every site. */
export const eligible: Eligible = (job, ask, sites) => {
  const found: Site[] = []
  for (const site of sites.values())
    if (isOpen(site.node) && isWithin(site.node, job) && ask.refused(site.node) === undefined)
      found.push(site)
  return found
}

/** The number of cached results. */
const remembered = 64

/** The same, cached for groups with equal requirements on the kind of node, until `forget` is called. */
export function rememberEligible(): { readonly eligible: Eligible; readonly forget: () => void } {
  const known = new Map<string, readonly Site[]>()
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
