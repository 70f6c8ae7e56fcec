import type { Allocation } from '../allocations/model.ts'
import { hasEnded } from '../allocations/rules.ts'
import type { Deployment } from '../deployments/model.ts'
import { isTerminalDeployment } from '../deployments/rules.ts'
import type { Evaluation } from '../evaluations/model.ts'
import { isTerminalEvaluation } from '../evaluations/rules.ts'
import type { JobSpec, JobStatus } from '../jobs/model.ts'
import { ofIncarnation } from '../jobs/work.ts'

/**
 * The age thresholds of a collection: the newest index at the time they refer to. Records that changed later stay.
 */
export interface Ages {
  readonly jobs: number
  /** For evaluations and their allocations. */
  readonly evaluations: number
  /** The same for batch jobs. */
  readonly batch: number
  readonly deployments: number
  readonly nodes: number
}

/** A job and everything that refers to it, oldest first. */
export interface Remains {
  /** `undefined` if it is gone. */
  readonly job:
    | (Pick<JobSpec, 'Type' | 'Stop' | 'Periodic' | 'ParameterizedJob' | 'VersionTag' | 'TaskGroups'> &
        Pick<JobStatus, 'Status'> & {
          readonly CreateIndex: number
          readonly ModifyIndex: number
        })
    | undefined
  /** Whether it still has child jobs. */
  readonly hasChildren: boolean
  readonly allocations: readonly Allocation[]
  readonly evaluations: readonly Evaluation[]
  readonly deployments: readonly Deployment[]
}

/** The collectible records, by ID. A collected job includes its allocations and deployments. */
export interface Collectible {
  readonly job: boolean
  readonly allocations: readonly string[]
  readonly evaluations: readonly string[]
  readonly deployments: readonly string[]
}

/**
 * The records of a job that are over and old enough to be collected.
 *
 * Keeps everything that the next decision about the job depends on: its newest evaluation and deployment, the completed
 * work of a batch job, a failure that was not replaced yet, and the failures that led to an allocation, which determine
 * the delay of the next replacement.
 */
export function collectible(remains: Remains, ages: Ages): Collectible {
  const { job } = remains
  if (job !== undefined && mayGo(remains, job, ages.jobs))
    return { job: true, allocations: [], evaluations: [], deployments: [] }
  const isGone = (row: { readonly JobCreateIndex: number }) =>
    job === undefined || !ofIncarnation(row, job.CreateIndex)
  const oldOf = (type: string) => (type === 'batch' ? ages.batch : ages.evaluations)

  const over = remains.allocations.filter(
    (each) =>
      hasEnded(each) &&
      each.ModifyIndex <= oldOf(each.JobType) &&
      (isGone(each) || job === undefined || job.Stop || !isNeeded(each)),
  )
  const history = historyOf(remains.allocations, new Set(over))
  const allocations = new Set(over.filter((each) => !history.has(each.ID)).map(({ ID }) => ID))
  const left = remains.allocations.filter(({ ID }) => !allocations.has(ID))
  const [evaluated, deployed] = [new Set(left.map(({ EvalID }) => EvalID)), new Set<string>()]
  for (const each of left) if (!hasEnded(each)) deployed.add(each.DeploymentID)

  const newestEvaluation = job && remains.evaluations.at(-1)
  const newestDeployment = remains.deployments.findLast((each) => !isGone(each))
  return {
    job: false,
    allocations: [...allocations],
    evaluations: remains.evaluations
      .filter(
        (each) =>
          isTerminalEvaluation(each) &&
          each.ModifyIndex <= oldOf(each.Type) &&
          each !== newestEvaluation &&
          !evaluated.has(each.ID),
      )
      .map(({ ID }) => ID),
    deployments: remains.deployments
      .filter(
        (each) =>
          isTerminalDeployment(each) &&
          each.ModifyIndex <= ages.deployments &&
          each !== newestDeployment &&
          !deployed.has(each.ID),
      )
      .map(({ ID }) => ID),
  }
}

/** Whether placing the job again would need it. */
const isNeeded = ({ DesiredStatus, ClientStatus, JobType, NextAllocation }: Allocation): boolean => {
  if (DesiredStatus !== 'run' || ClientStatus === 'lost') return false
  if (JobType === 'batch' || JobType === 'sysbatch') return true
  return JobType === 'service' && ClientStatus === 'failed' && NextAllocation === ''
}

/** How many failures before an allocation are kept: by then, delays have stopped growing. */
const remembered = 32

/** The failures that led to allocations that are kept. */
function historyOf(allocations: readonly Allocation[], going: ReadonlySet<Allocation>): ReadonlySet<string> {
  const byId = new Map(allocations.map((each) => [each.ID, each]))
  const kept = new Set<string>()
  for (const each of allocations) {
    if (going.has(each)) continue
    let before = byId.get(each.PreviousAllocation)
    for (let count = 0; count < remembered && before?.ClientStatus === 'failed'; count += 1) {
      if (kept.has(before.ID)) break
      kept.add(before.ID)
      before = byId.get(before.PreviousAllocation)
    }
  }
  return kept
}

/** Whether a job has been permanently dead for long enough, with everything that belongs to it. */
function mayGo(
  { hasChildren, allocations, evaluations, deployments }: Remains,
  job: NonNullable<Remains['job']>,
  age: number,
) {
  const own = <Row extends { readonly JobCreateIndex: number }>(rows: readonly Row[]) =>
    rows.filter((row) => ofIncarnation(row, job.CreateIndex))
  const isOld = ({ ModifyIndex }: { readonly ModifyIndex: number }) => ModifyIndex <= age
  return (
    endsForGood(job) &&
    isOld(job) &&
    !hasChildren &&
    own(allocations).every((each) => hasEnded(each) && isOld(each)) &&
    own(deployments).every((each) => isTerminalDeployment(each)) &&
    evaluations.every((each) => isTerminalEvaluation(each) && isOld(each))
  )
}

/** Whether only a registration revives a dead job. Other jobs end only when they are stopped. */
const endsForGood = (job: NonNullable<Remains['job']>): boolean => {
  if (job.Status !== 'dead' || job.VersionTag !== null) return false
  const runsByItself = job.Periodic === null && job.ParameterizedJob === null
  return job.Stop || (runsByItself && (job.Type === 'batch' || job.Type === 'sysbatch'))
}
