import type { Mutable } from '../values/mutable.ts'
import type { Job } from './model.ts'
import type { JobSummary } from './summary-model.ts'

/**
 * A job as the lists of its node pool show it.
 */
export interface PoolJobStub {
  readonly ID: string
  /** The periodic or parameterized job that launched it; empty for none. */
  readonly ParentID: string
  readonly Name: string
  /** `service`, `batch`, `system` or `sysbatch`. */
  readonly Type: string
  /** A higher one is placed first. */
  readonly Priority: number
  /** `pending`, `running` or `dead`. */
  readonly Status: string
  readonly StatusDescription: string
  /** Its allocations counted by group and state; `null` if there are no counts. */
  readonly JobSummary: JobSummary | null
  /** The revision that created it. */
  readonly CreateIndex: number
  /** The revision that last changed it, its status included. */
  readonly ModifyIndex: number
  /** The revision that last changed the specification, for check-and-set. */
  readonly JobModifyIndex: number
  /** Only on request. */
  readonly Meta?: Readonly<Record<string, string>> | null
}

/**
 * A job as lists show it.
 */
export interface JobStub extends PoolJobStub {
  readonly Namespace: string
  readonly Datacenters: readonly string[]
  readonly Multiregion: Job['Multiregion']
  /** Whether it runs on a schedule; the job itself holds the schedule. */
  readonly Periodic: boolean
  /** Whether it runs when dispatched; the job itself holds the parameters. */
  readonly ParameterizedJob: boolean
  /** Whether it was stopped but not purged. */
  readonly Stop: boolean
  /** Nanoseconds since the epoch. */
  readonly SubmitTime: number
}

/**
 * Optional fields of a list of jobs.
 */
export interface JobStubFields {
  /** Adds `Meta`. */
  readonly meta?: boolean | undefined
}

/**
 * Every stub begins as a copy of this one, which costs at most a fifth of an object literal: once many instances of a
 * literal were retained (a list of all jobs), the host allocates all later ones in old space.
 */
const blank: JobStub = {
  ID: '',
  ParentID: '',
  Name: '',
  Namespace: '',
  Datacenters: [],
  Multiregion: null,
  Type: '',
  Priority: 0,
  Periodic: false,
  ParameterizedJob: false,
  Stop: false,
  Status: '',
  StatusDescription: '',
  JobSummary: null,
  CreateIndex: 0,
  ModifyIndex: 0,
  JobModifyIndex: 0,
  SubmitTime: 0,
}
const blankWithMeta: JobStub = { ...blank, Meta: null }

const blankOfPool: PoolJobStub = {
  ID: '',
  ParentID: '',
  Name: '',
  Type: '',
  Priority: 0,
  Status: '',
  StatusDescription: '',
  JobSummary: null,
  CreateIndex: 0,
  ModifyIndex: 0,
  JobModifyIndex: 0,
}
const blankOfPoolWithMeta: PoolJobStub = { ...blankOfPool, Meta: null }

/** Fills in what both list forms have. */
function filled<Stub extends Mutable<PoolJobStub>>(stub: Stub, job: Job, summary: JobSummary | null): Stub {
  stub.ID = job.ID
  stub.ParentID = job.ParentID
  stub.Name = job.Name
  stub.Type = job.Type
  stub.Priority = job.Priority
  stub.Status = job.Status
  stub.StatusDescription = job.StatusDescription
  stub.JobSummary = summary
  stub.CreateIndex = job.CreateIndex
  stub.ModifyIndex = job.ModifyIndex
  stub.JobModifyIndex = job.JobModifyIndex
  if ('Meta' in stub) stub.Meta = job.Meta
  return stub
}

/**
 * The list form of a job.
 */
export function jobStub(job: Job, summary: JobSummary | null, { meta }: JobStubFields = {}): JobStub {
  const stub: Mutable<JobStub> = filled({ ...(meta ? blankWithMeta : blank) }, job, summary)
  stub.Namespace = job.Namespace
  stub.Datacenters = job.Datacenters
  stub.Multiregion = job.Multiregion
  stub.Periodic = job.Periodic !== null
  stub.ParameterizedJob = job.ParameterizedJob !== null
  stub.Stop = job.Stop
  stub.SubmitTime = job.SubmitTime
  return stub
}

/**
 * The form of a job in the list of its node pool.
 */
export const poolJobStub = (
  job: Job,
  summary: JobSummary | null,
  { meta }: JobStubFields = {},
): PoolJobStub => filled({ ...(meta ? blankOfPoolWithMeta : blankOfPool) }, job, summary)
