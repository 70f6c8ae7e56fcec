import type { Env } from '../../../kernel/index.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import { failuresOf, rescheduleAt } from '../../allocations/reschedule.ts'
import { isTerminalAllocation, isUnhealthy } from '../../allocations/rules.ts'
import type { DeploymentRecord } from '../../deployments/model.ts'
import { trackCounts } from '../../deployments/progress.ts'
import { promoteDeployment } from '../../deployments/promote.ts'
import { type Failure, failDeployment } from '../../deployments/steer.ts'
import { reschedulePolicyOf } from '../../jobs/defaults.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { sameSpec } from '../../jobs/rules.ts'
import type { JobVersionRecord } from '../../records/collections.ts'
import { nanoseconds } from '../../values/instants.ts'
import type { SchedulerEvent } from '../events.ts'
import type { JobName, Ledger } from './ledger.ts'
import { earlierVersions, evaluate, poolProblem, writeVersion } from './specification.ts'

/** The job a deployment rolls out. */
export const jobOf = ({ Namespace, JobID }: DeploymentRecord): JobName => ({ Namespace, ID: JobID })

/** By task group, how many canaries of a deployment are healthy and not over. */
export function healthyCanaries(ledger: Ledger, deployment: DeploymentRecord): Record<string, number> {
  const counts: Record<string, number> = Object.create(null)
  for (const [group, { canaries }] of ledger.deployed(jobOf(deployment), deployment.ID)) {
    const healthy = canaries.filter((id) => {
      const each = ledger.allocation(id)
      return each !== undefined && each.DeploymentStatus?.Healthy === true && !isTerminalAllocation(each)
    })
    if (healthy.length > 0) counts[group] = healthy.length
  }
  return counts
}

/** How many canaries a promotion changes: it is one commit, in which there may be verdicts as well. */
const changedCanaries = 8

/** Stores a promoted deployment, whose canaries are ordinary allocations from then on. */
export function storePromoted(ledger: Ledger, deployment: DeploymentRecord): void {
  ledger.putDeployment(deployment)
  const promoted = Object.values(deployment.TaskGroups).filter(({ Promoted }) => Promoted)
  for (const id of promoted.flatMap(({ PlacedCanaries }) => PlacedCanaries ?? []).slice(0, changedCanaries)) {
    const each = ledger.allocation(id)
    const status = each?.DeploymentStatus
    if (each === undefined || !status?.Canary) continue
    const DeploymentStatus = Object.assign({}, status, { Canary: false })
    ledger.putAllocation(Object.assign({}, each, { DeploymentStatus }))
  }
}

/** Updates a deployment's counts from its allocations, and promotes, fails or completes it accordingly. */
export function followDeployment(ledger: Ledger, id: string, env: Env): readonly SchedulerEvent[] {
  const deployment = ledger.deployment(id)
  if (deployment === undefined) return []
  const tracked = trackCounts(deployment, ledger.deployed(jobOf(deployment), id), env)
  if (!tracked.ok || tracked.value === 'over') return []
  if (tracked.state !== deployment) ledger.putDeployment(tracked.state)
  if (tracked.value === 'successful') {
    const name = jobOf(deployment)
    if (ledger.job(name)?.value.Version === deployment.JobVersion) ledger.markStable(name, true)
    return tracked.events
  }
  if (tracked.value === 'unhealthy' || hasGivenUp(ledger, tracked.state, env))
    return [...tracked.events, ...failNow(ledger, tracked.state, 'unhealthy', env).events]
  if (tracked.value !== 'promotable') return tracked.events
  const promoted = promoteDeployment(
    tracked.state,
    { healthyCanaries: healthyCanaries(ledger, tracked.state) },
    env,
  )
  if (!promoted.ok) return tracked.events
  storePromoted(ledger, promoted.state)
  watch(ledger, deployment, env)
  return [...tracked.events, ...promoted.events]
}

/** Whether an unhealthy allocation of a deployment is not replaced any more, by its policy. */
function hasGivenUp(ledger: Ledger, deployment: DeploymentRecord, env: Env): boolean {
  const groups = Object.entries(deployment.TaskGroups).filter(
    ([, { UnhealthyAllocs }]) => UnhealthyAllocs > 0,
  )
  const job = groups.length === 0 ? undefined : ledger.job(jobOf(deployment))?.value
  if (job === undefined || job.Version !== deployment.JobVersion) return false
  return ledger.allocations(job).some((each) => {
    const group = each.DeploymentID === deployment.ID && isUnhealthy(each) ? groupOf(job, each) : undefined
    const policy = group && reschedulePolicyOf(job, group)
    return policy != null && rescheduleAt(failuresOf(each, env.now), policy) === undefined
  })
}

const groupOf = ({ TaskGroups }: JobSpec, { TaskGroup }: AllocationRecord) =>
  TaskGroups.find(({ Name }) => Name === TaskGroup)

/** Creates an evaluation for the job of a deployment. */
export function watch(ledger: Ledger, deployment: DeploymentRecord, env: Env) {
  const job = ledger.job(jobOf(deployment))
  if (job === undefined) return undefined
  return evaluate(ledger, job.value, 'deployment-watcher', env, {
    priority: deployment.EvalPriority,
    deploymentId: deployment.ID,
    jobModifyIndex: job.modified,
  })
}

/** Fails a deployment; with auto-revert, the newest stable version is registered again as a new one. */
export function failNow(ledger: Ledger, deployment: DeploymentRecord, cause: Failure['cause'], env: Env) {
  const job = ledger.job(jobOf(deployment))
  const isPresent = job?.value.Version === deployment.JobVersion && !job.value.Stop
  // A version whose pool is gone cannot be restored.
  const stable = isPresent
    ? earlierVersions(ledger, job.value).findLast(
        (each) => each.Stable && poolProblem(ledger, each) === undefined,
      )
    : undefined
  const input: Failure = {
    cause,
    stable: stable && job && { version: stable.Version, sameSpec: sameSpec(specOf(stable), job.value) },
  }
  const outcome = failDeployment(deployment, input, env)
  if (!outcome.ok) return { outcome, evaluation: undefined, events: [] }
  ledger.putDeployment(outcome.state)
  const { revertTo } = outcome.value
  if (revertTo === undefined || stable === undefined || job === undefined)
    return { outcome, evaluation: watch(ledger, deployment, env), events: outcome.events }
  const next = nextVersion(job.value, stable, env)
  const moved = writeVersion(ledger, next, env)
  const evaluation = evaluate(ledger, next, 'deployment-watcher', env, { deploymentId: deployment.ID })
  return { outcome, evaluation, events: [...outcome.events, ...moved] }
}

/** An earlier version as the specification it was. */
export function specOf(version: JobVersionRecord): JobSpec {
  const { Stable: _, JobModifyIndex: __, ...spec } = version
  return spec
}

/** An earlier version as the next one. */
export const nextVersion = (present: JobSpec, earlier: JobVersionRecord, env: Env): JobSpec => ({
  ...specOf(earlier),
  Stop: false,
  Version: present.Version + 1,
  VersionTag: null,
  SubmitTime: nanoseconds(env.now),
})
