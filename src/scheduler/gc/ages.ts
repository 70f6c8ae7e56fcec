import type { Instant } from '../../kernel/index.ts'
import type { Ages } from './collectible.ts'

/**
 * How long finished objects are kept, in milliseconds, and how often they are collected.
 */
export interface CollectOptions {
  /** The interval of collections; five minutes by default. */
  readonly everyMs?: number | undefined
  /** Dead jobs; four hours by default. */
  readonly jobsMs?: number | undefined
  /** Evaluations and their allocations; an hour by default. */
  readonly evaluationsMs?: number | undefined
  /** The same for batch jobs that still exist; a day by default. */
  readonly batchMs?: number | undefined
  /** Deployments; an hour by default. */
  readonly deploymentsMs?: number | undefined
  /** Nodes that are down; a day by default. */
  readonly nodesMs?: number | undefined
}

const minute = 60_000
const hour = 60 * minute

/** The resolved {@link CollectOptions}. */
export type CollectTimes = { readonly [Name in keyof CollectOptions]-?: number }

/** The default ages. */
export const usualTimes: CollectTimes = {
  everyMs: 5 * minute,
  jobsMs: 4 * hour,
  evaluationsMs: hour,
  batchMs: 24 * hour,
  deploymentsMs: hour,
  nodesMs: 24 * hour,
}

/** The given ages, with defaults for the others. */
export const timesOf = (given: CollectOptions): CollectTimes => ({
  everyMs: given.everyMs ?? usualTimes.everyMs,
  jobsMs: given.jobsMs ?? usualTimes.jobsMs,
  evaluationsMs: given.evaluationsMs ?? usualTimes.evaluationsMs,
  batchMs: given.batchMs ?? usualTimes.batchMs,
  deploymentsMs: given.deploymentsMs ?? usualTimes.deploymentsMs,
  nodesMs: given.nodesMs ?? usualTimes.nodesMs,
})

/** Everything that is finished, whatever its age. */
export const anyAge = (newest: number): Ages => ({
  jobs: newest,
  evaluations: newest,
  batch: newest,
  deployments: newest,
  nodes: newest,
})

/** The newest index at an instant. */
export interface IndexSample {
  readonly index: number
  readonly at: Instant
}

/** Adds a sample, and drops those that are too old to be needed. */
export function withSample(
  samples: readonly IndexSample[],
  sample: IndexSample,
  longestMs: number,
): readonly IndexSample[] {
  const all = [...samples, sample]
  const needed = all.findLastIndex(({ at }) => at <= sample.at - longestMs)
  return needed > 0 ? all.slice(needed) : all
}

/** The newest index that was seen before that age; 0 without a sample that old. */
export const indexAt = (samples: readonly IndexSample[], at: Instant): number =>
  samples.findLast((sample) => sample.at <= at)?.index ?? 0

/** The current thresholds. */
export const agesAt = (samples: readonly IndexSample[], now: Instant, times: CollectTimes): Ages => ({
  jobs: indexAt(samples, now - times.jobsMs),
  evaluations: indexAt(samples, now - times.evaluationsMs),
  batch: indexAt(samples, now - times.batchMs),
  deployments: indexAt(samples, now - times.deploymentsMs),
  nodes: indexAt(samples, now - times.nodesMs),
})
