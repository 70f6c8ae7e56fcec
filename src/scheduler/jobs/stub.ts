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

/**
 * The list form of a job.
 */
export function jobStub(job: Job, summary: JobSummary | null, { meta }: JobStubFields = {}): JobStub {
  const stub: Mutable<JobStub> = {
    ...(meta ? blankWithMeta : blank),
    ID: job.ID,
    ParentID: job.ParentID,
    Name: job.Name,
    Namespace: job.Namespace,
    Datacenters: job.Datacenters,
    Multiregion: job.Multiregion,
    Type: job.Type,
    Priority: job.Priority,
    Periodic: job.Periodic !== null,
    ParameterizedJob: job.ParameterizedJob !== null,
    Stop: job.Stop,
    Status: job.Status,
    StatusDescription: job.StatusDescription,
    JobSummary: summary,
    CreateIndex: job.CreateIndex,
    ModifyIndex: job.ModifyIndex,
    JobModifyIndex: job.JobModifyIndex,
    SubmitTime: job.SubmitTime,
  }
  if (meta) stub.Meta = job.Meta
  return stub
}

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

/**
 * The form of a job in the list of its node pool.
 */
export function poolJobStub(job: Job, summary: JobSummary | null, { meta }: JobStubFields = {}): PoolJobStub {
  const stub: Mutable<PoolJobStub> = {
    ...(meta ? blankOfPoolWithMeta : blankOfPool),
    ID: job.ID,
    ParentID: job.ParentID,
    Name: job.Name,
    Type: job.Type,
    Priority: job.Priority,
    Status: job.Status,
    StatusDescription: job.StatusDescription,
    JobSummary: summary,
    CreateIndex: job.CreateIndex,
    ModifyIndex: job.ModifyIndex,
    JobModifyIndex: job.JobModifyIndex,
  }
  if (meta) stub.Meta = job.Meta
  return stub
}
