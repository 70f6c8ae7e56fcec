import type { JobSpec } from '../jobs/model.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import { type DistinctScope, type GroupAsk, isOpen, isWithin } from './ask.ts'
import { type Eligible, eligible } from './eligible.ts'
import { Heap } from './heap.ts'
import { interpolated, nodeLookup } from './interpolate.ts'
import { type NodeScore, NodeTally, type PlacementMetrics } from './metrics.ts'
import type { SchedulerAlgorithm, Site, Usage } from './site.ts'
import { affinityOf, spreadsOf } from './steering.ts'

/** The node of a new allocation, and its resources there. */
export interface Chosen {
  readonly site: Site
  readonly usage: Usage
}

/**
 * An existing allocation of the job.
 */
export interface Standing {
  readonly nodeId: string
  readonly group: string
}

/**
 * Chooses nodes for the allocations of one task group, one by one, and caches what it learns: the cost of another one
 * does not grow with the number of nodes.
 */
export interface Placer {
  /** Reserves resources for one more; `undefined` if no node fits. */
  readonly next: () => Chosen | undefined
  /** Reserves resources on a site that has become free. */
  readonly claim: (site: Site) => Chosen
  /** The sites that could take one more if they had room. */
  readonly full: () => Iterable<Site>
  /** Records that an allocation of the job left a node. */
  readonly left: (standing: Standing) => void
  /** Undoes this. */
  readonly came: (standing: Standing) => void
  /** Records that another allocation was added to a site or removed. */
  readonly changed: (site: Site) => void
  /** The scores of the nodes chosen last, newest first. */
  readonly recent: () => readonly NodeScore[]
  /** The metrics of all nodes in their current state. */
  readonly metrics: () => PlacementMetrics
}

/** The input of a placer. */
export interface PlacerInput {
  readonly job: JobSpec
  readonly group: TaskGroup
  readonly ask: GroupAsk
  /** All sites, by node. */
  readonly sites: ReadonlyMap<string, Site>
  /** The live allocations of the job. */
  readonly standing: Iterable<Standing>
  readonly algorithm: SchedulerAlgorithm
  /** Finds the sites that can take the group; by default all are evaluated. */
  readonly eligible?: Eligible | undefined
}

/** How many allocations are placed by checking every site, before sorting the sites pays off. */
const scans = 4

interface Candidate {
  readonly site: Site
  readonly bucket: Bucket
  readonly affinity: number
  /** Incremented with every change of the site, which invalidates earlier results. */
  stamp: number
}

/** A candidate with its score. */
interface Rated {
  readonly candidate: Candidate
  readonly stamp: number
  readonly fit: number
}

/** The candidates that are equivalent for every spread. */
interface Bucket {
  readonly values: readonly (string | undefined)[]
  readonly rated: Heap<Rated>
}

/**
 * Creates a placer for services and batches. Affinities and spreads decide first, then how well the allocation fits.
 */
export function placer({
  job,
  group,
  ask,
  sites,
  standing,
  algorithm,
  eligible: find = eligible,
}: PlacerInput): Placer {
  const spreads = spreadsOf(job, group)
  const affinity = affinityOf(job, group)
  const distinct = distinctness(ask, group, sites, standing)
  for (const each of standingIn(spreads.length > 0 ? standing : [], group.Name)) {
    const site = sites.get(each.nodeId)
    if (site !== undefined) for (const spread of spreads) spread.add(spread.valueIn(site.node), 1)
  }
  const candidates = new Map<Site, Candidate>()
  const buckets = new Map<string, Bucket>()
  const rate = (candidate: Candidate) => {
    if (candidate.site.lacks(ask) !== undefined) return
    const { bucket, stamp, site } = candidate
    bucket.rated.push({ candidate, stamp, fit: site.fit(ask, algorithm) })
  }
  const open = find(job, ask, sites)
  let isInOrder = false
  /** Sorts the sites from now on. */
  const order = () => {
    isInOrder = true
    for (const site of open) {
      const values = spreads.map(({ valueIn }) => valueIn(site.node))
      for (const [at, spread] of spreads.entries()) spread.sees(values[at])
      const key = values.length === 0 ? '' : JSON.stringify(values.map((value) => value ?? null))
      let bucket = buckets.get(key)
      if (bucket === undefined) {
        bucket = { values, rated: new Heap(isBetter) }
        buckets.set(key, bucket)
      }
      const candidate: Candidate = { site, bucket, affinity: affinity?.(site.node) ?? 0, stamp: 0 }
      candidates.set(site, candidate)
      rate(candidate)
    }
  }
  let left = spreads.length > 0 || affinity !== undefined || distinct.isShared ? 0 : scans
  /** The best of all sites, if only the fit decides. */
  const scan = (): Chosen | undefined => {
    left -= 1
    let best: Site | undefined
    let most = Number.NEGATIVE_INFINITY
    for (const site of open) {
      if (site.lacks(ask) !== undefined) continue
      const fit = site.fit(ask, algorithm)
      if (fit < most || (fit === most && best !== undefined && best.node.ID < site.node.ID)) continue
      best = site
      most = fit
    }
    if (best === undefined) return undefined
    note(best, { [algorithm]: most })
    return claim(best)
  }
  const rateAgain = (site: Site) => {
    const candidate = candidates.get(site)
    if (candidate === undefined) return
    candidate.stamp += 1
    rate(candidate)
  }
  /** The best of a bucket that can take one more; full ones are dropped on the way. */
  const bestOf = ({ rated }: Bucket): Rated | undefined => {
    for (;;) {
      const first = rated.first()
      if (first === undefined) return undefined
      const { candidate, stamp } = first
      if (candidate.stamp === stamp && distinct.refused(candidate.site) === undefined) return first
      rated.pop()
    }
  }
  const boostOf = ({ values }: Bucket): number => {
    let boost = 0
    for (const [at, spread] of spreads.entries()) boost += spread.boost(values[at])
    return boost
  }
  const claim = (site: Site): Chosen => {
    const usage = site.offer(ask)
    site.take(usage)
    const values = candidates.get(site)?.bucket.values ?? []
    for (const [at, spread] of spreads.entries()) spread.add(values[at], 1)
    distinct.add(site, group.Name, 1)
    rateAgain(site)
    return { site, usage }
  }
  const count = ({ nodeId, group: of }: Standing, more: 1 | -1) => {
    const site = sites.get(nodeId)
    if (site === undefined) return
    if (of === group.Name) for (const spread of spreads) spread.add(spread.valueIn(site.node), more)
    distinct.add(site, of, more)
    // The next allocation may be able to share it.
    if (distinct.isShared) for (const each of candidates.keys()) rateAgain(each)
    else rateAgain(site)
  }
  const recent: NodeScore[] = []
  const scoresOf = ({ candidate, fit }: Rated): Record<string, number> => {
    const scores: Record<string, number> = { [algorithm]: fit }
    if (affinity !== undefined) scores['node-affinity'] = candidate.affinity
    if (spreads.length > 0) scores['allocation-spread'] = boostOf(candidate.bucket)
    return scores
  }
  const note = (site: Site, scores: Readonly<Record<string, number>>) => {
    const all = Object.values(scores)
    const NormScore = all.reduce((sum, score) => sum + score, 0) / all.length
    const NodeID = site.node.ID
    const before = recent.findIndex((each) => each.NodeID === NodeID)
    if (before >= 0) recent.splice(before, 1)
    recent.unshift({ NodeID, Scores: scores, NormScore })
    if (recent.length > 5) recent.pop()
  }

  return {
    next: () => {
      if (left > 0 && !isInOrder) return scan()
      if (!isInOrder) order()
      let chosen: Rated | undefined
      let steered = Number.NEGATIVE_INFINITY
      for (const bucket of buckets.values()) {
        const best = bestOf(bucket)
        if (best === undefined) continue
        const steer = best.candidate.affinity + boostOf(bucket)
        if (chosen !== undefined && (steer < steered || (steer === steered && !isBetterFit(best, chosen))))
          continue
        chosen = best
        steered = steer
      }
      if (chosen === undefined) return undefined
      const { site } = chosen.candidate
      note(site, scoresOf(chosen))
      return claim(site)
    },
    claim,
    full: function* () {
      for (const site of open)
        if (distinct.refused(site) === undefined && site.lacks(ask) !== undefined) yield site
    },
    left: (standing) => count(standing, -1),
    came: (standing) => count(standing, 1),
    changed: rateAgain,
    recent: () => [...recent],
    metrics: () => {
      const tally = new NodeTally()
      for (const site of sites.values()) {
        const { node } = site
        if (!isOpen(node) || !isWithin(node, job)) continue
        tally.evaluated(node)
        const reason = ask.refused(node) ?? distinct.refused(site)
        if (reason !== undefined) tally.filtered(node, reason)
        else {
          const lacking = site.lacks(ask)
          if (lacking !== undefined) tally.exhausted(node, lacking)
        }
      }
      return tally.metrics([...recent])
    },
  }
}

const isBetter = (a: Rated, b: Rated): boolean =>
  a.candidate.affinity === b.candidate.affinity
    ? isBetterFit(a, b)
    : a.candidate.affinity > b.candidate.affinity

/** Among equals the node with the smaller identifier wins: the same input has one outcome. */
const isBetterFit = (a: Rated, b: Rated): boolean =>
  a.fit === b.fit ? a.candidate.site.node.ID < b.candidate.site.node.ID : a.fit > b.fit

function* standingIn(standing: Iterable<Standing>, group: string): Generator<Standing> {
  for (const each of standing) if (each.group === group) yield each
}

/** Enforces that allocations do not share a node, or a value of an attribute. */
function distinctness(
  ask: GroupAsk,
  group: TaskGroup,
  sites: ReadonlyMap<string, Site>,
  standing: Iterable<Standing>,
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
    for (const { nodeId, group: of } of standing) {
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
