import { isOpen, isWithin } from './ask.ts'
import { eligible } from './eligible.ts'
import { NodeTally } from './metrics.ts'
import type { NodeScore, PlacementMetrics } from './metrics-model.ts'
import type { Chosen, Placer } from './placer.ts'
import type { PlacerInput } from './placer-input.ts'
import type { Site } from './site.ts'

/** A placer that also reports which nodes would take the group with more capacity. */
export interface SystemPlacer extends Placer {
  /** The number of nodes on which the group should run but cannot. */
  readonly exhausted: () => number
  /** The number of nodes that could take the group with more capacity, and do not run it. */
  readonly candidates: number
}

/**
 * Creates a placer for system jobs, which are placed once on every suitable node.
 *
 * @param occupied - the nodes on which the group has run
 */
export function systemPlacer(
  {
    job,
    ask,
    sites,
    algorithm,
    eligible: find = eligible,
  }: Pick<PlacerInput, 'job' | 'ask' | 'sites' | 'algorithm' | 'eligible'>,
  occupied: ReadonlySet<string>,
): SystemPlacer {
  const { sites: suitable, metrics: searched } = find(job, ask, sites)
  const open = suitable.filter(({ node }) => !occupied.has(node.ID))
  const opened = new Set(open)
  const full = new Set<Site>()
  let at = 0
  const scoreOf = (site: Site): NodeScore => {
    const binpack = site.fit(ask, algorithm)
    return { NodeID: site.node.ID, Scores: { binpack }, NormScore: binpack }
  }
  const claim = (site: Site, score: NodeScore): Chosen => {
    full.delete(site)
    const usage = site.offer(ask)
    site.take(usage)
    return { site, usage, score }
  }
  return {
    next: () => {
      for (; at < open.length; at += 1) {
        const site = open[at]
        if (site === undefined) continue
        if (site.lacks(ask) !== undefined) {
          full.add(site)
          continue
        }
        at += 1
        return claim(site, scoreOf(site))
      }
      return undefined
    },
    claim,
    takes: (site, then = site) => opened.has(site) && then.lacks(ask) === undefined,
    full: () => [...full],
    scoreOf: (site, preemption) => {
      const { NodeID, Scores, NormScore } = scoreOf(site)
      return { NodeID, Scores: { ...Scores, preemption }, NormScore: (NormScore + preemption) / 2 }
    },
    left: () => {},
    came: () => {},
    changed: (site) => {
      if (full.delete(site)) open.push(site)
    },
    exhausted: () => full.size,
    candidates: open.length,
    recent: () => [],
    searched,
    metrics: () => metricsOf({ job, ask, sites }, full),
  }
}

/** Counts the nodes that a placement looked at, and says why the others were not taken. */
function metricsOf(
  { job, ask, sites }: Pick<PlacerInput, 'job' | 'ask' | 'sites'>,
  full: Iterable<Site>,
): PlacementMetrics {
  const tally = new NodeTally()
  for (const { node } of sites.values()) {
    if (!isOpen(node) || !isWithin(node, job)) continue
    tally.evaluated(node)
    const reason = ask.refused(node)
    if (reason !== undefined) tally.filtered(node, reason)
  }
  for (const site of full) tally.exhausted(site.node, site.lacks(ask) ?? 'room')
  return tally.metrics([], { name: job.NodePool, size: sites.size })
}
