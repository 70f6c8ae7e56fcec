import { nextStatus, type Refused, refuse } from '../../../kernel/index.ts'
import { deploymentLifecycle } from '../../deployments/lifecycle.ts'
import type { DeploymentRecord } from '../../deployments/model.ts'
import { promoteDeployment } from '../../deployments/promote.ts'
import { isTerminalDeployment } from '../../deployments/rules.ts'
import { deploymentMoved, pauseDeployment } from '../../deployments/steer.ts'
import type { EvaluationRecord } from '../../evaluations/model.ts'
import { readAllocation, readDeployment } from '../../records/tables.ts'
import { rfc3339 } from '../../values/instants.ts'
import { permissionDenied, seenBy } from '../acl/authenticate.ts'
import type { WriteCall, Written } from '../call.ts'
import type { Cluster } from '../cluster.ts'
import { enter } from '../enter.ts'
import type { SchedulerEvent } from '../events.ts'
import { failNow, followDeployment, healthyCanaries, watch } from '../write/deployment-progress.ts'
import type { Ledger } from '../write/ledger.ts'
import { record } from '../write/record.ts'

/**
 * What became of a deployment that was steered.
 *
 * @public
 */
export interface DeploymentWritten {
  /** Empty when nobody needs to look at the job. */
  readonly EvalID: string
  readonly EvalCreateIndex: number
  readonly DeploymentModifyIndex: number
  /** The version that the job goes back to; `null` for none. */
  readonly RevertedJobVersion: number | null
}

/** What steering a deployment may refuse. */
export type DeploymentRefusal =
  | 'permission_denied'
  | 'deployment_not_found'
  | 'deployment_is_over'
  | 'unknown_task_group'
  | 'unhealthy_canaries'
  | 'deployment_not_blocked'
  | 'allocation_not_deployed'

interface Steered {
  readonly ok: true
  readonly evaluation?: EvaluationRecord | undefined
  readonly reverted?: number | undefined
  readonly events: readonly SchedulerEvent[]
}

/** How many allocations one commit judges: a commit has 64 keys. */
const batch = 12

type Answer = Promise<Written<DeploymentWritten> | Refused<DeploymentRefusal>>

/** What changes deployments; all of it asks for `namespace:submit-job` where the deployment is. */
export function deploymentWriteMethods(cluster: Cluster) {
  const steer = (
    id: string,
    call: WriteCall,
    decide: (ledger: Ledger, deployment: DeploymentRecord) => Steered | Refused<DeploymentRefusal>,
  ): Answer =>
    enter(cluster, call, async ({ now, access }) => {
      const found = seenBy(access, readDeployment(now, id), 'submit-job')
      if (!access.namespace(found?.Namespace ?? 'default', 'submit-job')) return permissionDenied()
      const { result, rev } = await record(cluster, (ledger) => {
        const deployment = found && ledger.deployment(id)
        return deployment === undefined
          ? refuse('deployment_not_found', 'deployment not found')
          : decide(ledger, deployment)
      })
      if (!result.ok) return result
      cluster.emit(result.events)
      return {
        ok: true,
        value: {
          EvalID: result.evaluation?.ID ?? '',
          EvalCreateIndex: result.evaluation === undefined ? 0 : rev,
          DeploymentModifyIndex: rev,
          RevertedJobVersion: result.reverted ?? null,
        },
        index: rev,
      }
    })

  return {
    /**
     * Pauses a deployment, or lets it go on.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.load({ jobs: [{ ID: 'web' }], deployments: [{ ID: 'd1', JobID: 'web', Status: 'running', TaskGroups: { app: {} } }] })
     * await scheduler.pauseDeployment('d1', true)
     * const found = await scheduler.readDeployment('d1')
     * found.ok && found.value.Status // 'paused'
     * ```
     */
    pauseDeployment: (id: string, pause: boolean, call: WriteCall = {}): Answer =>
      steer(id, call, (ledger, deployment) => {
        const env = cluster.env()
        const outcome = pauseDeployment(deployment, { pause }, env)
        if (!outcome.ok) return outcome
        ledger.putDeployment(outcome.state)
        if (pause) return { ok: true, events: outcome.events }
        // What its allocations came to in the meantime counts now.
        const followed = followDeployment(ledger, id, env)
        const evaluation = watch(ledger, deployment, env)
        return { ok: true, evaluation, events: [...outcome.events, ...followed] }
      }),

    /**
     * Fails a deployment; where one of its groups wants that, the job goes back to its newest stable version.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.load({ jobs: [{ ID: 'web' }], deployments: [{ ID: 'd1', JobID: 'web', Status: 'running', TaskGroups: { app: {} } }] })
     * await scheduler.failDeployment('d1')
     * const found = await scheduler.readDeployment('d1')
     * found.ok && found.value.StatusDescription // 'Deployment marked as failed'
     * ```
     */
    failDeployment: (id: string, call: WriteCall = {}): Answer =>
      steer(id, call, (ledger, deployment) => {
        const { outcome, evaluation, events } = failNow(ledger, deployment, 'user', cluster.env())
        return outcome.ok ? { ok: true, evaluation, reverted: outcome.value.revertTo, events } : outcome
      }),

    /**
     * Promotes the canaries of some task groups, or of all.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.load({ jobs: [{ ID: 'web' }], deployments: [{ ID: 'd1', JobID: 'web', Status: 'running', TaskGroups: { app: { DesiredCanaries: 1 } } }] })
     * const promoted = await scheduler.promoteDeployment('d1')
     * promoted.ok || promoted.refusal.message // 'Task group "app" has 0/1 healthy allocations'
     * ```
     */
    promoteDeployment: (
      id: string,
      input: { readonly groups?: readonly string[] | undefined } = {},
      call: WriteCall = {},
    ): Answer =>
      steer(id, call, (ledger, deployment) => {
        const env = cluster.env()
        const outcome = promoteDeployment(
          deployment,
          { groups: input.groups, healthyCanaries: healthyCanaries(ledger, deployment) },
          env,
        )
        if (!outcome.ok) return outcome
        ledger.putDeployment(outcome.state)
        const followed = followDeployment(ledger, id, env)
        return {
          ok: true,
          evaluation: watch(ledger, deployment, env),
          events: [...outcome.events, ...followed],
        }
      }),

    /**
     * Says which allocations of a deployment are healthy, and which are not. Many are written in several commits;
     * nothing is where one of them is no part of the deployment.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.load({ jobs: [{ ID: 'web' }], deployments: [{ ID: 'd1', JobID: 'web', Status: 'running', TaskGroups: { app: { DesiredTotal: 1 } } }], allocations: [{ ID: 'a1', JobID: 'web', TaskGroup: 'app', DeploymentID: 'd1' }] })
     * await scheduler.setAllocationHealth('d1', { healthy: ['a1'] })
     * const found = await scheduler.readDeployment('d1')
     * found.ok && found.value.Status // 'successful'
     * ```
     */
    setAllocationHealth: async (
      id: string,
      input: {
        readonly healthy?: readonly string[] | undefined
        readonly unhealthy?: readonly string[] | undefined
      },
      call: WriteCall = {},
    ): Answer => {
      const verdicts = [
        ...(input.healthy ?? []).map((each) => [each, true] as const),
        ...(input.unhealthy ?? []).map((each) => [each, false] as const),
      ]
      const judge = (some: typeof verdicts, isFirst: boolean): Answer =>
        steer(id, call, (ledger, deployment) => {
          const env = cluster.env()
          if (isTerminalDeployment(deployment))
            return refuse('deployment_is_over', "can't set health of allocations for a terminal deployment")
          const strange = isFirst
            ? verdicts.find(([each]) => readAllocation(ledger.tx.now, each)?.DeploymentID !== id)
            : undefined
          if (strange !== undefined)
            return refuse(
              'allocation_not_deployed',
              `allocation "${strange[0]}" is not part of deployment "${id}"`,
            )
          for (const [each, Healthy] of some) {
            const allocation = ledger.allocation(each)
            if (allocation === undefined) continue
            const { Canary = false, ModifyIndex = 0 } = allocation.DeploymentStatus ?? {}
            const DeploymentStatus = { Canary, ModifyIndex, Healthy, Timestamp: rfc3339(env.now) }
            ledger.putAllocation({ ...allocation, DeploymentStatus })
          }
          const events = followDeployment(ledger, id, env)
          return { ok: true, evaluation: watch(ledger, deployment, env), events }
        })
      let answer = await judge(verdicts.slice(0, batch), true)
      for (let at = batch; at < verdicts.length && answer.ok; at += batch) {
        const next = await judge(verdicts.slice(at, at + batch), false)
        // The first of them may have decided the deployment.
        if (!next.ok && next.refusal.code === 'deployment_is_over') return answer
        answer = next
      }
      return answer
    },

    /**
     * Lets a deployment over several regions go on that waits for this one.
     *
     * @example
     * ```ts
     * import { createScheduler } from 'plinth/scheduler'
     * import { memoryStore } from 'plinth/store'
     *
     * const scheduler = createScheduler({ store: memoryStore() })
     * await scheduler.load({ jobs: [{ ID: 'web' }], deployments: [{ ID: 'd1', JobID: 'web', Status: 'blocked', TaskGroups: { app: {} } }] })
     * await scheduler.unblockDeployment('d1')
     * const found = await scheduler.readDeployment('d1')
     * found.ok && found.value.Status // 'unblocking'
     * ```
     */
    unblockDeployment: (id: string, call: WriteCall = {}): Answer =>
      steer(id, call, (ledger, deployment) => {
        if (isTerminalDeployment(deployment))
          return refuse('deployment_is_over', "can't unblock terminal deployment")
        const to = nextStatus(deploymentLifecycle, deployment.Status, 'unblock')
        if (to === undefined)
          return refuse('deployment_not_blocked', `can't unblock a deployment that is ${deployment.Status}`)
        ledger.putDeployment({
          ...deployment,
          Status: to,
          StatusDescription: 'Deployment is unblocking remaining regions',
        })
        return { ok: true, events: [deploymentMoved(deployment, to)] }
      }),
  }
}
