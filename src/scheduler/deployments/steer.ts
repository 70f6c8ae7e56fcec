import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, nextStatus, type Outcome, refuse, step } from '../../kernel/index.ts'
import { rfc3339 } from '../values/instants.ts'
import { runningDescription } from './create.ts'
import { deploymentDescriptions, deploymentLifecycle } from './lifecycle.ts'
import type { DeploymentRecord } from './model.ts'
import { isTerminalDeployment } from './rules.ts'

/**
 * A deployment reached another status.
 */
export interface DeploymentMoved {
  readonly type: 'deployment.moved'
  readonly deployment: string
  readonly job: string
  readonly namespace: string
  readonly status: string
}

/**
 * Pauses or resumes a deployment. Resuming restarts the progress deadlines.
 *
 * @returns the status reached, or `deployment_is_over`
 *
 * @example
 * ```ts
 * import { unwrap, unwrapStep } from 'plinth'
 * import { JobSpec, newDeployment, pauseDeployment } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * const job = JobSpec.parse({ ID: 'web', Update: {}, TaskGroups: [{ Name: 'app' }] })
 * const deployment = newDeployment({ job }, env)
 * if (deployment) {
 *   const paused = unwrapStep(pauseDeployment(deployment, { pause: true }, env)).state
 *   paused.Status // 'paused'
 *   unwrap(pauseDeployment(paused, { pause: false }, env)) // 'running'
 * }
 * ```
 */
export function pauseDeployment(
  deployment: DeploymentRecord,
  input: { readonly pause: boolean },
  env: Env,
): Outcome<DeploymentRecord, DeploymentRecord['Status'], DeploymentMoved, 'deployment_is_over'> {
  checkArguments('deployment input env', deployment, input, env)
  const verb = input.pause ? 'pause' : 'resume'
  const to = nextStatus(deploymentLifecycle, deployment.Status, verb)
  if (to === undefined) return over(verb)
  if (to === deployment.Status) return answer(deployment, to)
  return step(deployment, (draft, emit: (event: DeploymentMoved) => void) => {
    draft.Status = to
    draft.StatusDescription = input.pause
      ? deploymentDescriptions.paused
      : runningDescription(Object.values(deployment.TaskGroups))
    for (const group of Object.values(draft.TaskGroups)) {
      const restarts = !input.pause && group.ProgressDeadline > 0 && group.PlacedAllocs > 0
      group.RequireProgressBy = restarts
        ? rfc3339(env.now + group.ProgressDeadline / 1e6)
        : input.pause
          ? null
          : group.RequireProgressBy
    }
    emit(deploymentMoved(deployment, to))
    return to
  })
}

/**
 * The inputs for the rollback of {@link failDeployment}.
 */
export interface Failure {
  readonly cause: 'user' | 'unhealthy' | 'deadline'
  /** The newest stable version, if any, and whether it has the same specification as the current one. */
  readonly stable?: { readonly version: number; readonly sameSpec: boolean } | undefined
}

/**
 * Fails a deployment. If one of its groups has auto-revert, the job goes back to its newest stable version; the value
 * names that version, and the service registers it again.
 *
 * @returns the version to revert to, if any, or `deployment_is_over`
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { failDeployment, JobSpec, newDeployment } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * const job = JobSpec.parse({ ID: 'web', Update: { AutoRevert: true }, TaskGroups: [{ Name: 'app' }] })
 * const deployment = newDeployment({ job }, env)
 * const stable = { version: 3, sameSpec: false }
 * if (deployment) {
 *   const failed = unwrapStep(failDeployment(deployment, { cause: 'unhealthy', stable }, env))
 *   failed.value // { revertTo: 3 }
 *   const again = failDeployment(failed.state, { cause: 'user' }, env)
 *   again.ok || again.refusal.code // 'deployment_is_over'
 * }
 * ```
 */
export function failDeployment(
  deployment: DeploymentRecord,
  input: Failure,
  _env?: Env,
): Outcome<
  DeploymentRecord,
  { readonly revertTo: number | undefined },
  DeploymentMoved,
  'deployment_is_over'
> {
  checkArguments('deployment input', deployment, input)
  const to = nextStatus(deploymentLifecycle, deployment.Status, 'fail')
  if (to === undefined) return over('fail')
  const reverts = Object.values(deployment.TaskGroups).some(({ AutoRevert }) => AutoRevert)
  const { stable } = input
  return step(deployment, (draft, emit: (event: DeploymentMoved) => void) => {
    draft.Status = to
    draft.StatusDescription = `${causes[input.cause]}${reverts ? revertSuffix(stable) : ''}`
    emit(deploymentMoved(deployment, to))
    return { revertTo: reverts && stable !== undefined && !stable.sameSpec ? stable.version : undefined }
  })
}

const causes = {
  user: deploymentDescriptions.failedByUser,
  unhealthy: deploymentDescriptions.unhealthy,
  deadline: deploymentDescriptions.progressDeadline,
} as const satisfies Record<Failure['cause'], string>

const revertSuffix = (stable: Failure['stable']): string => {
  if (stable === undefined) return ' - no stable job version to auto revert to'
  return stable.sameSpec
    ? ` - not rolling back to stable job version ${stable.version} as current job has same specification`
    : ` - rolling back to job version ${stable.version}`
}

/**
 * Cancels a deployment because its job was stopped or has a newer version.
 *
 * @returns whether it was cancelled now; a finished one stays unchanged
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { cancelDeployment, JobSpec, newDeployment } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * const job = JobSpec.parse({ ID: 'web', Update: {}, TaskGroups: [{ Name: 'app' }] })
 * const deployment = newDeployment({ job }, env)
 * if (deployment) {
 *   const { state, value } = unwrapStep(cancelDeployment(deployment, { cause: 'newerVersion' }, env))
 *   value // { cancelled: true }
 *   state.Status // 'cancelled'
 * }
 * ```
 */
export function cancelDeployment(
  deployment: DeploymentRecord,
  input: { readonly cause: 'stopped' | 'newerVersion' },
  _env?: Env,
): Outcome<DeploymentRecord, { readonly cancelled: boolean }, DeploymentMoved> {
  checkArguments('deployment input', deployment, input)
  if (isTerminalDeployment(deployment)) return answer(deployment, { cancelled: false })
  return step(deployment, (draft, emit: (event: DeploymentMoved) => void) => {
    draft.Status = 'cancelled'
    draft.StatusDescription = deploymentDescriptions[input.cause]
    emit(deploymentMoved(deployment, 'cancelled'))
    return { cancelled: true }
  })
}

const over = (verb: string) => refuse('deployment_is_over', `can't ${verb} terminal deployment`)

/** The event of a deployment that reached a status. */
export const deploymentMoved = (deployment: DeploymentRecord, status: string): DeploymentMoved => ({
  type: 'deployment.moved',
  deployment: deployment.ID,
  job: deployment.JobID,
  namespace: deployment.Namespace,
  status,
})
