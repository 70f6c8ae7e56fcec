import { type Env, type Refused, refuse } from '../../../kernel/index.ts'
import { isTerminalDeployment } from '../../deployments/rules.ts'
import { cancelDeployment, type DeploymentMoved } from '../../deployments/steer.ts'
import { type EvaluationTrigger, newEvaluation } from '../../evaluations/create.ts'
import type { EvaluationRecord } from '../../evaluations/model.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { surplusVersions } from '../../jobs/versions.ts'
import { defaultNamespace } from '../../namespaces/rules.ts'
import { isBuiltIn } from '../../pools/rules.ts'
import {
  type JobVersionRecord,
  jobStatusRecords,
  jobSubmissionRecords,
  jobVersionRecords,
  namespaceRecords,
  poolRecords,
} from '../../records/collections.ts'
import { tagOf } from '../../records/tables.ts'
import type { Cluster } from '../cluster.ts'
import { unknownNamespace } from '../read/namespaces-at.ts'
import type { JobName, Ledger } from './ledger.ts'

/**
 * Replaces the current version of a job, which is kept as an earlier one, drops the oldest versions beyond the limit, and
 * cancels running deployments.
 */
export function writeVersion(
  ledger: Ledger,
  next: JobSpec,
  env: Env,
  cause: 'stopped' | 'newerVersion' = 'newerVersion',
): readonly DeploymentMoved[] {
  const before = ledger.job(next)
  if (before !== undefined) {
    const Stable = ledger.tx.get(jobStatusRecords, next.Namespace, next.ID)?.value.Stable ?? false
    const about = { Stable, JobModifyIndex: before.modified }
    const earlier: JobVersionRecord = Object.assign({}, before.value, about)
    const kept = earlierVersions(ledger, next)
    const named = [...kept, earlier].map((each) => ({ ...each, ...tagOf(ledger.tx.now, each) }))
    for (const version of surplusVersions([...named, { ...next, Stable: false }])) {
      if (version === earlier.Version) continue
      ledger.tx.delete(jobVersionRecords, next.Namespace, next.ID, version)
      if (ledger.tx.get(jobSubmissionRecords, next.Namespace, next.ID, version) !== undefined)
        ledger.tx.delete(jobSubmissionRecords, next.Namespace, next.ID, version)
    }
    ledger.tx.put(jobVersionRecords, earlier)
  }
  ledger.putJob(next)
  ledger.markStable(next, false)
  const active = ledger.deployments(next).filter((each) => !isTerminalDeployment(each))
  return active.slice(-maxCancelled).flatMap(({ ID }) => {
    const deployment = ledger.deployment(ID)
    const outcome = deployment && cancelDeployment(deployment, { cause }, env)
    if (outcome?.ok !== true || !outcome.value.cancelled) return []
    ledger.putDeployment(outcome.state)
    return outcome.events
  })
}

/** More than one is active only in records loaded from elsewhere; a commit has 64 keys. */
const maxCancelled = 8

/** The earlier versions of a job that are kept, oldest first. */
export const earlierVersions = (
  { tx }: Pick<Ledger, 'tx'>,
  { Namespace, ID }: JobName,
): readonly JobVersionRecord[] => jobVersionRecords.list(tx.now, Namespace, ID).map(({ value }) => value)

/** The refusal of a job whose pool does not exist; the commit fails if the pool is removed before it. */
export function poolProblem(ledger: Ledger, job: JobSpec): Refused<'unknown_job_pool'> | undefined {
  const known = isBuiltIn(job.NodePool) || ledger.tx.get(poolRecords, job.NodePool) !== undefined
  return known
    ? undefined
    : refuse('unknown_job_pool', `job "${job.ID}" is in nonexistent node pool "${job.NodePool}"`)
}

/** The refusal of a job whose namespace must exist and does not; the commit fails if it is removed before it. */
export function namespaceProblem(
  cluster: Pick<Cluster, 'namespaces'>,
  { tx }: Pick<Ledger, 'tx'>,
  job: JobName,
): Refused<'unknown_job_namespace'> | undefined {
  if (cluster.namespaces === 'open' || job.Namespace === defaultNamespace) return undefined
  // The commit expects what the decision has seen: no namespace at all, or this one.
  if (tx.guard(namespaceRecords.name) > 0) tx.get(namespaceRecords, job.Namespace)
  return unknownNamespace(cluster, tx.now, job)
}

/** Creates an evaluation for a job, except for jobs that only have children. */
export function evaluate(
  ledger: Ledger,
  job: JobSpec,
  trigger: EvaluationTrigger,
  env: Env,
  more: {
    readonly priority?: number | undefined
    readonly deploymentId?: string
    readonly nodeId?: string
  } & {
    /** The index of a specification that was written before this commit. */
    readonly jobModifyIndex?: number | undefined
  } = {},
): EvaluationRecord | undefined {
  if (job.Periodic !== null || job.ParameterizedJob !== null) return undefined
  const evaluation = newEvaluation({ trigger, job, ...more }, env)
  ledger.putEvaluation(evaluation)
  return evaluation
}
