import type { SchedulerRecords } from '../wire/records.ts'

/**
 * A kind of record that a load file holds.
 */
export type RecordKind =
  | 'namespaces'
  | 'pools'
  | 'nodes'
  | 'jobs'
  | 'deployments'
  | 'allocations'
  | 'evaluations'
  | 'policies'
  | 'tokens'

/** The indexes of a record. */
export interface Given {
  readonly CreateIndex?: number | undefined
  readonly ModifyIndex?: number | undefined
}

/** Every kind with its records. */
export const kindsOf = (
  records: SchedulerRecords,
): readonly (readonly [kind: RecordKind, records: readonly Given[]])[] => [
  ['namespaces', records.namespaces],
  ['pools', records.pools],
  ['nodes', records.nodes],
  ['jobs', records.jobs],
  ['deployments', records.deployments],
  ['allocations', records.allocations],
  ['evaluations', records.evaluations],
  ['policies', records.policies],
  ['tokens', records.tokens],
]
