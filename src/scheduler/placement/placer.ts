import { type GroupAsk, isOpen, isWithin } from './ask.ts'
import { distinctness } from './distinct.ts'
import { eligible } from './eligible.ts'
import { Heap } from './heap.ts'
import { NodeTally } from './metrics.ts'
import type { NodeScore, PlacementMetrics } from './metrics-model.ts'
import type { ExistingAllocation, PlacerInput } from './placer-input.ts'
import { type SpreadValues, scoring } from './scoring.ts'
import type { Site, Usage } from './site.ts'

/** The node of a new allocation, and its resources there. */
export interface Chosen {
  readonly site: Site
  readonly usage: Usage
  readonly score: NodeScore
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
  readonly values: SpreadValues
  readonly unused: Heap<Rated>
  readonly shared: Heap<Rated>
}

/** A site with its mean score. */
interface Best {
  readonly site: Site
  readonly score: number
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
