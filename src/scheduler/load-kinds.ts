import type { SchedulerRecords } from './wire/records.ts'

/** The kinds of records a load file holds. */
export type Kind = keyof SchedulerRecords

/** Indexes as a record gives them. */
export interface Given {
  readonly CreateIndex?: number | undefined
  readonly ModifyIndex?: number | undefined
}

/** Every kind with its records. */
export const kindsOf = (records: SchedulerRecords): readonly (readonly [Kind, readonly Given[]])[] => [
  ['pools', records.pools],
  ['nodes', records.nodes],
  ['jobs', records.jobs],
  ['deployments', records.deployments],
  ['allocations', records.allocations],
  ['evaluations', records.evaluations],
  ['policies', records.policies],
  ['tokens', records.tokens],
]
