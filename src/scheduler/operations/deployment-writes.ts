import * as z from 'zod'
import { type Env, nextStatus, type Refused, refuse } from '../../kernel/index.ts'
import { argument, optionalArgument } from '../../operation/arguments.ts'
import { fields } from '../../operation/known-fields.ts'
import { operation } from '../../operation/operation.ts'
import type { Decision } from '../../store/transactions/runner.ts'
import { deploymentLifecycle } from '../deployments/lifecycle.ts'
import type { DeploymentRecord } from '../deployments/model.ts'
import { promoteDeployment } from '../deployments/promote.ts'
import { isTerminalDeployment } from '../deployments/rules.ts'
import { deploymentMoved, pauseDeployment } from '../deployments/steer.ts'
import { writtenWithIt } from '../evaluations/create.ts'
import type { EvaluationRecord } from '../evaluations/model.ts'
import { readAllocation, readDeployment } from '../records/tables.ts'
import { permissionDenied, seenBy } from '../service/authenticate.ts'
import type { WriteCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import type { SchedulerEvent } from '../service/events.ts'
import {
  failNow,
  followDeployment,
  healthyCanaries,
  storePromoted,
  watch,
} from '../service/write/deployment-progress.ts'
import type { Ledger } from '../service/write/ledger.ts'
import { record } from '../service/write/record.ts'
import { rfc3339 } from '../values/instants.ts'
import { call, id } from './arguments.ts'
import { aYesOrNo } from './call-argument.ts'

/**
 * The result of an operation on a deployment.
 */
export interface DeploymentWritten {
  /** Empty when no evaluation is needed. */
  readonly EvalID: string
  readonly EvalCreateIndex: number
  readonly DeploymentModifyIndex: number
  /** The version that the job goes back to; `null` for none. */
  readonly RevertedJobVersion: number | null
}

/** How many allocations one commit updates: a commit has 64 keys. */
const batch = 12

/**
 * Which task groups of a deployment to promote.
 */
export interface PromotionInput {
  /** All of them by default. */
  readonly groups?: readonly string[] | undefined
}

/**
 * Which allocations of a deployment are healthy, and which are not: their IDs.
 */
export interface HealthVerdicts {
  readonly healthy?: readonly string[] | undefined
  readonly unhealthy?: readonly string[] | undefined
}

const texts = z.array(z.string()).optional()
const pause = argument<boolean>('pause', aYesOrNo)
const promotion = optionalArgument(
  argument<PromotionInput>(
    'input',
    fields({ groups: texts } satisfies Record<keyof PromotionInput, z.ZodType>),
  ),
)
const verdicts = argument<HealthVerdicts>(
  'input',
  fields({ healthy: texts, unhealthy: texts } satisfies Record<keyof HealthVerdicts, z.ZodType>),
)

/** The result of a decision on a deployment. */
interface Steered {
  readonly evaluation?: EvaluationRecord | undefined
  readonly reverted?: number | undefined
}

const steer = <Code extends string>(
  cluster: Cluster,
  id: string,
  call: WriteCall,
  decide: (
    ledger: Ledger,
    deployment: DeploymentRecord,
    env: Env,
  ) => Decision<Steered, SchedulerEvent> | Refused<Code>,
) =>
  enter(cluster, call, async ({ now, access }) => {
    const found = seenBy(access, readDeployment(now, id), 'submit-job')
    if (!access.namespace(found?.Namespace ?? 'default', 'submit-job')) return permissionDenied()
    const { answer, rev } = await record<Steered, Code | 'deployment_not_found'>(cluster, (ledger, env) => {
      const deployment = found && ledger.deployment(id)
      return deployment === undefined
        ? refuse('deployment_not_found', 'deployment not found')
        : decide(ledger, deployment, env)
    })
    if (!answer.ok) return answer
    const { evaluation, reverted } = answer.value
    const value: DeploymentWritten = {
      EvalID: evaluation?.ID ?? '',
      EvalCreateIndex: evaluation === undefined ? 0 : rev,
      DeploymentModifyIndex: rev,
      RevertedJobVersion: reverted ?? null,
    }
    return { ok: true as const, value, index: rev }
  })

/** The operations that change deployments; each requires `namespace:submit-job` in the deployment's namespace. */
export const deploymentWriteOperations = {
  /**
   * Pauses or resumes a deployment.
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
  pauseDeployment: operation({
    takes: [id, pause, call],
    refuses: ['permission_denied', 'deployment_not_found', 'deployment_is_over'],
    run: (cluster: Cluster, id: string, pause: boolean, call: WriteCall = {}) =>
      steer(cluster, id, call, (ledger, deployment, env) => {
        const outcome = pauseDeployment(deployment, { pause }, env)
        if (!outcome.ok) return outcome
        ledger.putDeployment(outcome.state)
        if (pause) return { ok: true, value: {}, events: outcome.events }
        // Changes of its allocations in the meantime count now.
        const followed = followDeployment(ledger, id, env)
        const evaluation = watch(ledger, deployment, env)
        return { ok: true, value: { evaluation }, events: [...outcome.events, ...followed] }
      }),
  }),

  /**
   * Fails a deployment; if one of its groups has auto-revert, the job goes back to its newest stable version.
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
  failDeployment: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'deployment_not_found', 'deployment_is_over'],
    run: (cluster: Cluster, id: string, call: WriteCall = {}) =>
      steer(cluster, id, call, (ledger, deployment, env) => {
        const { outcome, evaluation, events } = failNow(ledger, deployment, 'user', env)
        if (!outcome.ok) return outcome
        return { ok: true, value: { evaluation, reverted: outcome.value.revertTo }, events }
      }),
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
  promoteDeployment: operation({
    takes: [id, promotion, call],
    refuses: [
      'permission_denied',
      'deployment_not_found',
      'deployment_is_over',
      'unknown_task_group',
      'unhealthy_canaries',
    ],
    run: (cluster: Cluster, id: string, input: PromotionInput = {}, call: WriteCall = {}) =>
      steer(cluster, id, call, (ledger, deployment, env) => {
        const outcome = promoteDeployment(
          deployment,
          { groups: input.groups, healthyCanaries: healthyCanaries(ledger, deployment) },
          env,
        )
        if (!outcome.ok) return outcome
        storePromoted(ledger, outcome.state)
        const followed = followDeployment(ledger, id, env)
        return {
          ok: true,
          value: { evaluation: watch(ledger, deployment, env) },
          events: [...outcome.events, ...followed],
        }
      }),
  }),

  /**
   * Sets the health of allocations of a deployment. Many allocations take several commits; writes nothing if one of
   * them is not part of the deployment.
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
  setAllocationHealth: operation({
    takes: [id, verdicts, call],
    refuses: ['permission_denied', 'deployment_not_found', 'deployment_is_over', 'allocation_not_deployed'],
    run: async (cluster: Cluster, id: string, input: HealthVerdicts, call: WriteCall = {}) => {
      const all = [
        ...(input.healthy ?? []).map((each) => [each, true] as const),
        ...(input.unhealthy ?? []).map((each) => [each, false] as const),
      ]
      const judge = (some: typeof all, isFirst: boolean) =>
        steer(cluster, id, call, (ledger, deployment, env) => {
          if (isTerminalDeployment(deployment))
            return refuse('deployment_is_over', "can't set health of allocations for a terminal deployment")
          const strange = isFirst
            ? all.find(([each]) => readAllocation(ledger.tx.now, each)?.DeploymentID !== id)
            : undefined
          if (strange !== undefined)
            return refuse(
              'allocation_not_deployed',
              `allocation "${strange[0]}" is not part of deployment "${id}"`,
            )
          for (const [each, Healthy] of some) {
            const allocation = ledger.allocation(each)
            if (allocation === undefined) continue
            const { Canary = false } = allocation.DeploymentStatus ?? {}
            const DeploymentStatus = {
              Canary,
              ModifyIndex: writtenWithIt,
              Healthy,
              Timestamp: rfc3339(env.now),
            }
            ledger.putAllocation(Object.assign({}, allocation, { DeploymentStatus }))
          }
          const events = followDeployment(ledger, id, env)
          return { ok: true, value: { evaluation: watch(ledger, deployment, env) }, events }
        })
      let answer = await judge(all.slice(0, batch), true)
      for (let at = batch; at < all.length && answer.ok; at += batch) {
        const next = await judge(all.slice(at, at + batch), false)
        // The first of them may have decided the deployment.
        if (!next.ok && next.refusal.code === 'deployment_is_over') return answer
        answer = next
      }
      return answer
    },
  }),

  /**
   * Unblocks a multi-region deployment that waits for this region.
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
  unblockDeployment: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'deployment_not_found', 'deployment_is_over', 'deployment_not_blocked'],
    run: (cluster: Cluster, id: string, call: WriteCall = {}) =>
      steer(cluster, id, call, (ledger, deployment) => {
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
        return { ok: true, value: {}, events: [deploymentMoved(deployment, to)] }
      }),
  }),
}
