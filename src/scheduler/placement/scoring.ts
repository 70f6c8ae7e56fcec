import { deviceWeight } from './devices.ts'
import type { NodeScore } from './metrics-model.ts'
import type { PlacerInput } from './placer-input.ts'
import type { Site } from './site.ts'
import { affinityOf, spreadsOf } from './steering.ts'

/** The value of a site for each spread. */
export type SpreadValues = readonly (string | undefined)[]

/** The scores of sites, as they change with the allocations of the job. */
export function scoring({ job, group, ask, sites, existing, algorithm }: PlacerInput) {
  const spreads = spreadsOf(job, group)
  const affinity = affinityOf(job, group)
  const weightOfDevices = deviceWeight(ask.devices)
  /** How many scores apply to every site. */
  const always = 1 + (affinity === undefined ? 0 : 1) + (weightOfDevices > 0 ? 1 : 0)
  /** The number of the group's allocations on each site. */
  const together = new Map<Site, number>()
  const join = (site: Site, more: number) => {
    const now = (together.get(site) ?? 0) + more
    if (now > 0) together.set(site, now)
    else together.delete(site)
  }
  const affinities = new Map<Site, number>()
  const affinityTo = (site: Site): number => {
    if (affinity === undefined) return 0
    const known = affinities.get(site) ?? affinity(site.node)
    affinities.set(site, known)
    return known
  }
  const crowding = (site: Site): number => {
    const collisions = together.get(site)
    return collisions === undefined ? 0 : -(collisions + 1) / group.Count
  }
  const sumOf = (site: Site): number =>
    site.fit(ask, algorithm) +
    crowding(site) +
    affinityTo(site) +
    (weightOfDevices > 0 ? site.matchedDevices(ask) / weightOfDevices : 0)
  const boostOf = (values: SpreadValues): number => {
    let boost = 0
    for (const [at, spread] of spreads.entries()) boost += spread.boost(values[at])
    return boost
  }
  const values = new Map<Site, SpreadValues>()
  const valuesOf = (site: Site): SpreadValues => {
    if (spreads.length === 0) return []
    const known = values.get(site) ?? spreads.map(({ valueIn }) => valueIn(site.node))
    values.set(site, known)
    return known
  }
  /** The mean, as spreads and further scores change it. */
  const mean = (site: Site, sum: number, boost: number, more = 0, further = 0): number =>
    (sum + boost + more) / (always + (together.has(site) ? 1 : 0) + (boost === 0 ? 0 : 1) + further)
  const scoresOf = (
    site: Site,
    { failed = false, preemption }: { readonly failed?: boolean; readonly preemption?: number | undefined },
  ): NodeScore => {
    const boost = boostOf(valuesOf(site))
    const more = (failed ? -1 : 0) + (preemption ?? 0)
    const further = (failed ? 1 : 0) + (preemption === undefined ? 0 : 1)
    return {
      NodeID: site.node.ID,
      Scores: {
        binpack: site.fit(ask, algorithm),
        'job-anti-affinity': crowding(site),
        'node-reschedule-penalty': failed ? -1 : 0,
        'node-affinity': affinityTo(site),
        ...(weightOfDevices > 0 ? { devices: site.matchedDevices(ask) / weightOfDevices } : {}),
        ...(boost === 0 ? {} : { 'allocation-spread': boost }),
        ...(preemption === undefined ? {} : { preemption }),
      },
      NormScore: mean(site, sumOf(site), boost, more, further),
    }
  }
  /** Counts one allocation of the group more or less on a site. */
  const add = (site: Site, more: number) => {
    join(site, more)
    for (const [at, spread] of spreads.entries()) spread.add(valuesOf(site)[at], more)
  }
  for (const each of existing) {
    const site = each.group === group.Name ? sites.get(each.nodeId) : undefined
    if (site !== undefined) add(site, 1)
  }
  return {
    isPlain: spreads.length === 0 && affinity === undefined,
    isCrowded: (site: Site) => together.has(site),
    add,
    sumOf,
    boostOf,
    valuesOf,
    mean,
    scoresOf,
  }
}
