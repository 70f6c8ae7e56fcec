import type { JobSpec } from '../jobs/model.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import { type DistinctScope, type GroupAsk, isOpen, isWithin } from './ask.ts'
import { deviceWeight } from './devices.ts'
import { type Eligible, eligible } from './eligible.ts'
import { Heap } from './heap.ts'
import { interpolated, nodeLookup } from './interpolate.ts'
import { NodeTally } from './metrics.ts'
import type { NodeScore, PlacementMetrics } from './metrics-model.ts'
import type { SchedulerAlgorithm, Site, Usage } from './site.ts'
import { affinityOf, spreadsOf } from './steering.ts'

/** The node of a new allocation, and its resources there. */
export interface Chosen {
  readonly site: Site
  readonly usage: Usage
  readonly score: NodeScore
}

/**
 * An existing allocation of the job.
 */
export interface ExistingAllocation {
  readonly nodeId: string
  readonly group: string
}

/**
 * Chooses nodes for the allocations of one task group, one by one, and caches what it learns: the cost of another one
 * does not grow with the number of nodes.
 */
export interface Placer {
  /**
   * Reserves resources for one more; `undefined` if no node fits.
   *
   * @param avoid - the nodes on which the allocation failed before; none by default
   */
  readonly next: (avoid?: ReadonlySet<string>) => Chosen | undefined
  /** Reserves resources on a site that has become free. */
  readonly claim: (site: Site, score: NodeScore) => Chosen
  /** Whether a site can take one more, now or in another state of it. */
  readonly takes: (site: Site, then?: Site) => boolean
  /** The sites that could take one more if they had room. */
  readonly full: () => Iterable<Site>
  /** The score of a site on which less important allocations make room. */
  readonly scoreOf: (site: Site, preemption: number) => NodeScore
  /** Records that an allocation of the job left a node. */
  readonly left: (existing: ExistingAllocation) => void
  /** Undoes this. */
  readonly came: (existing: ExistingAllocation) => void
  /** Records that another allocation was added to a site or removed. */
  readonly changed: (site: Site) => void
  /** The scores of the nodes chosen last, newest first. */
  readonly recent: () => readonly NodeScore[]
  /** What the search for suitable nodes counted. */
  readonly searched: PlacementMetrics
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
  readonly existing: Iterable<ExistingAllocation>
  readonly algorithm: SchedulerAlgorithm
  /** Finds the sites that can take the group; by default all are evaluated. */
  readonly eligible?: Eligible | undefined
}

/** How many allocations are placed by checking every site, before sorting the sites pays off. */
const scans = 4

const nowhere: ReadonlySet<string> = new Set()

interface Candidate {
  readonly site: Site
  readonly bucket: Bucket
  /** Incremented with every change of the site, which invalidates earlier results. */
  stamp: number
}

/** A candidate and the sum of its scores, without those of spreads. */
interface Rated {
  readonly candidate: Candidate
  readonly stamp: number
  readonly sum: number
}

/** The candidates that are equivalent for every spread: those without an allocation of the group, and the others. */
interface Bucket {
  readonly values: readonly (string | undefined)[]
  readonly unused: Heap<Rated>
  readonly shared: Heap<Rated>
}

/** A site with its mean score. */
interface Best {
  readonly site: Site
  readonly score: number
}

/** The scores of sites, as they change with the allocations of the job. */
function scoring({ job, group, ask, sites, existing, algorithm }: PlacerInput) {
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
  const boostOf = (values: Bucket['values']): number => {
    let boost = 0
    for (const [at, spread] of spreads.entries()) boost += spread.boost(values[at])
    return boost
  }
  const values = new Map<Site, Bucket['values']>()
  const valuesOf = (site: Site): Bucket['values'] => {
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

/** The sites in the order of their scores, once they are sorted. */
function sorting(
  ask: GroupAsk,
  { isCrowded, sumOf, boostOf, valuesOf, mean }: ReturnType<typeof scoring>,
  isRefused: (site: Site) => boolean,
) {
  const candidates = new Map<Site, Candidate>()
  const buckets = new Map<string, Bucket>()
  const rate = (candidate: Candidate) => {
    if (candidate.site.lacks(ask) !== undefined) return
    const { bucket, stamp, site } = candidate
    const heap = isCrowded(site) ? bucket.shared : bucket.unused
    heap.push({ candidate, stamp, sum: sumOf(site) })
  }
  const sort = (open: Iterable<Site>) => {
    for (const site of open) {
      const values = valuesOf(site)
      const key = values.length === 0 ? '' : JSON.stringify(values.map((value) => value ?? null))
      let bucket = buckets.get(key)
      if (bucket === undefined) {
        bucket = { values, unused: new Heap(isBetter), shared: new Heap(isBetter) }
        buckets.set(key, bucket)
      }
      const candidate: Candidate = { site, bucket, stamp: 0 }
      candidates.set(site, candidate)
      rate(candidate)
    }
  }
  const rateAgain = (site: Site) => {
    const candidate = candidates.get(site)
    if (candidate === undefined) return
    candidate.stamp += 1
    rate(candidate)
  }
  /** The best of a heap that can take one more; full ones and those to avoid are dropped on the way. */
  const bestOf = (rated: Heap<Rated>, avoid: ReadonlySet<string>): Rated | undefined => {
    for (;;) {
      const first = rated.first()
      if (first === undefined) return undefined
      const { candidate, stamp } = first
      const { site } = candidate
      if (candidate.stamp === stamp && !isRefused(site) && !(avoid.size > 0 && avoid.has(site.node.ID)))
        return first
      rated.pop()
    }
  }
  /** The best of them; those to avoid are left out. */
  const best = (avoid: ReadonlySet<string>): Best | undefined => {
    let found: Best | undefined
    for (const { values, unused, shared } of buckets.values()) {
      const boost = boostOf(values)
      for (const heap of [unused, shared]) {
        const first = bestOf(heap, avoid)
        const site = first?.candidate.site
        if (first !== undefined && site !== undefined)
          found = better(found, site, mean(site, first.sum, boost))
      }
    }
    return found
  }
  return { sites: candidates, sort, best, rateAgain }
}

const better = (best: Best | undefined, site: Site, score: number): Best =>
  best === undefined || score > best.score || (score === best.score && site.node.ID < best.site.node.ID)
    ? { site, score }
    : best

/**
 * Creates a placer for services and batches. The site with the highest mean of these scores is chosen: how well the
 * allocation fits; affinities, if there are any; and where they are not 0, spreads, a penalty for each allocation of the
 * group on the node, and one for a node on which the allocation failed.
 */
export function placer(input: PlacerInput): Placer {
  const { job, group, ask, sites, existing, eligible: find = eligible } = input
  const scores = scoring(input)
  const { sumOf, boostOf, valuesOf, mean, scoresOf } = scores
  const distinct = distinctness(ask, group, sites, existing)
  const sorted = sorting(ask, scores, (site) => distinct.refused(site) !== undefined)
  const { rateAgain } = sorted
  const { sites: open, metrics: searched } = find(job, ask, sites)
  let opened: ReadonlySet<Site> | undefined
  let isSorted = false
  let left = scores.isPlain && !distinct.isShared ? scans : 0
  const isOneOf = (site: Site): boolean => {
    opened ??= new Set(open)
    return opened.has(site)
  }
  const takes = (site: Site, then: Site = site): boolean =>
    isOneOf(site) && distinct.refused(site) === undefined && then.lacks(ask) === undefined
  /** The best of all sites, if there are no spreads. */
  const scan = (avoid: ReadonlySet<string>): Best | undefined => {
    let best: Best | undefined
    for (const site of open)
      if (site.lacks(ask) === undefined && !avoid.has(site.node.ID))
        best = better(best, site, mean(site, sumOf(site), 0))
    return best
  }
  const recent: NodeScore[] = []
  const claim = (site: Site, score: NodeScore): Chosen => {
    const before = recent.findIndex(({ NodeID }) => NodeID === score.NodeID)
    if (before >= 0) recent.splice(before, 1)
    recent.unshift(score)
    if (recent.length > 5) recent.pop()
    const usage = site.offer(ask)
    site.take(usage)
    scores.add(site, 1)
    distinct.add(site, group.Name, 1)
    rateAgain(site)
    return { site, usage, score }
  }
  const count = ({ nodeId, group: of }: ExistingAllocation, more: 1 | -1) => {
    const site = sites.get(nodeId)
    if (site === undefined) return
    if (of === group.Name) scores.add(site, more)
    distinct.add(site, of, more)
    // The next allocation may be able to share it.
    if (distinct.isShared) for (const each of sorted.sites.keys()) rateAgain(each)
    else rateAgain(site)
  }

  return {
    next: (avoid = nowhere) => {
      if (left <= 0 && !isSorted) {
        isSorted = true
        sorted.sort(open)
      }
      left -= 1
      let best = isSorted ? sorted.best(avoid) : scan(avoid)
      for (const id of avoid) {
        const site = sites.get(id)
        if (site === undefined) continue
        if (takes(site)) best = better(best, site, mean(site, sumOf(site), boostOf(valuesOf(site)), -1, 1))
        // It was dropped from its heap.
        rateAgain(site)
      }
      return best && claim(best.site, scoresOf(best.site, { failed: avoid.has(best.site.node.ID) }))
    },
    claim,
    takes,
    full: function* () {
      for (const site of open)
        if (distinct.refused(site) === undefined && site.lacks(ask) !== undefined) yield site
    },
    scoreOf: (site, preemption) => scoresOf(site, { preemption }),
    left: (existing) => count(existing, -1),
    came: (existing) => count(existing, 1),
    changed: rateAgain,
    recent: () => [...recent],
    searched,
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
      return tally.metrics(recent, { name: job.NodePool, size: sites.size })
    },
  }
}

/** Among equals the node with the smaller identifier wins: the same input has one outcome. */
const isBetter = (a: Rated, b: Rated): boolean =>
  a.sum === b.sum ? a.candidate.site.node.ID < b.candidate.site.node.ID : a.sum > b.sum

/** Enforces that allocations do not share a node, or a value of an attribute. */
function distinctness(
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
