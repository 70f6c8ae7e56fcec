import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { rfc3339 } from '../values/instants.ts'
import { runningDescription } from './create.ts'
import type { DeploymentRecord } from './model.ts'
import { isTerminalDeployment } from './rules.ts'
import { type DeploymentMoved, deploymentMoved } from './steer.ts'

/**
 * Which canaries to promote.
 */
export interface Promotion {
  /** The task groups; all that have canaries by default. */
  readonly groups?: readonly string[] | undefined
  /** The number of healthy, running canaries of each group. */
  readonly healthyCanaries: Readonly<Record<string, number>>
}

/**
 * Promotes canaries, all or none: each chosen group needs as many healthy ones as it desires, and its progress deadline
 * restarts.
 *
 * @returns the groups promoted, or `deployment_is_over`, `unknown_task_group`, `unhealthy_canaries`
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { DeploymentRecord, promoteDeployment } from 'plinth/scheduler'
 *
 * const groups = { app: { DesiredCanaries: 1 } }
 * const deployment = DeploymentRecord.parse({ ID: 'd1', JobID: 'web', Status: 'running', TaskGroups: groups })
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * const promoted = promoteDeployment(deployment, { healthyCanaries: { app: 1 } }, env)
 * unwrap(promoted) // ['app']
 * ```
 */
export function promoteDeployment(
  deployment: DeploymentRecord,
  input: Promotion,
  env: Env,
): Outcome<
  DeploymentRecord,
  readonly string[],
  DeploymentMoved,
  'deployment_is_over' | 'unknown_task_group' | 'unhealthy_canaries'
> {
  checkArguments('deployment input env', deployment, input, env)
  if (isTerminalDeployment(deployment))
    return refuse('deployment_is_over', `can't promote terminal deployment`)
  const strange = (input.groups ?? []).filter((name) => !Object.hasOwn(deployment.TaskGroups, name))
  if (strange.length > 0)
    return refuse('unknown_task_group', `the deployment has no task group "${strange.join('", "')}"`)
  const chosen = Object.entries(deployment.TaskGroups).filter(
    ([name, group]) => group.DesiredCanaries > 0 && (input.groups?.includes(name) ?? true),
  )
  const short = chosen
    .map(([name, group]) => ({ name, wanted: group.DesiredCanaries, healthy: healthyIn(input, name) }))
    .filter(({ wanted, healthy }) => healthy < wanted)
  if (short.length > 0) {
    const texts = short.map(
      ({ name, wanted, healthy }) => `Task group "${name}" has ${healthy}/${wanted} healthy allocations`,
    )
    return refuse('unhealthy_canaries', texts.join('; '))
  }
  const names = chosen.map(([name]) => name)
  return step(deployment, (draft, emit: (event: DeploymentMoved) => void) => {
    for (const name of names) {
      const group = draft.TaskGroups[name]
      if (group === undefined) continue
      group.Promoted = true
      // However long the canaries waited, the allocations after them get the full time.
      if (group.RequireProgressBy !== null && group.ProgressDeadline > 0)
        group.RequireProgressBy = rfc3339(env.now + group.ProgressDeadline / 1e6)
    }
    if (deployment.Status === 'running')
      draft.StatusDescription = runningDescription(
        Object.values(draft.TaskGroups).map((group) => ({ ...group })),
      )
    emit(deploymentMoved(deployment, deployment.Status))
    return names
  })
}

const healthyIn = ({ healthyCanaries }: Promotion, name: string): number =>
  Object.hasOwn(healthyCanaries, name) ? (healthyCanaries[name] ?? 0) : 0
