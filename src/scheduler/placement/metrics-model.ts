import * as z from 'zod'
import { mapOf } from '../values/map.ts'

const counts = mapOf(z.int()).default({})

/** The score of a node for an allocation: by rule, from -1 to 1. */
export const NodeScore = z.object({
  NodeID: z.string().default(''),
  Scores: mapOf(z.number()).default({}),
  /** The mean of the scores. */
  NormScore: z.number().default(0),
})
/**
 * The score of a node for an allocation: by rule, from -1 to 1.
 */
export interface NodeScore extends z.infer<typeof NodeScore> {}

/**
 * How the node of an allocation was chosen, or why allocations of a task group could not be placed.
 */
export const PlacementMetrics = z.object({
  /** The evaluated nodes: ready, eligible, in the job's pool and datacenters. */
  NodesEvaluated: z.int().default(0),
  /** Of these, the number that can never take the group. */
  NodesFiltered: z.int().default(0),
  /** Of these, the number that could, with more capacity; counted only if an allocation found no place. */
  NodesExhausted: z.int().default(0),
  /** The nodes of the pool, in any state and datacenter. */
  NodesInPool: z.int().default(0),
  NodePool: z.string().default(''),
  /** The number of evaluated nodes, by datacenter. */
  NodesAvailable: counts,
  /** The filtered nodes by class; nodes without a class are not included. */
  ClassFiltered: counts,
  /** The filtered nodes by constraint, or other missing requirement. */
  ConstraintFiltered: counts,
  /** The exhausted nodes by class. */
  ClassExhausted: counts,
  /** The number of exhausted nodes, by the missing resource (`cpu`, `memory`, `disk`, …). */
  DimensionExhausted: counts,
  /**
   * The score of the allocation's node; without a place, the scores of the nodes chosen for the group's previous
   * allocations, newest first, at most five.
   */
  ScoreMetaData: z.array(NodeScore).default([]),
  /** How many more allocations failed for the same reasons. */
  CoalescedFailures: z.int().default(0),
})
/**
 * How the node of an allocation was chosen, or why allocations of a task group could not be placed.
 */
export interface PlacementMetrics extends z.infer<typeof PlacementMetrics> {}
