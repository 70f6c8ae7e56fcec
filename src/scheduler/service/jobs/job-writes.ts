import type { Cluster } from '../cluster.ts'
import { namespacePermission } from '../write/namespace-permission.ts'
import { registerMethod } from '../write/register-job.ts'
import { deregisterMethod } from '../write/stop-job.ts'
import { planMethod } from './plan-job.ts'

/** What changes jobs. */
export const jobWriteMethods = (cluster: Cluster) => ({
  /** Whether the caller has a capability in a namespace: whoever has not learns nothing about their request. */
  mayInNamespace: namespacePermission(cluster),

  /**
   * Registers a job, or its next version; asks for `namespace:submit-job`. It is placed a moment later: `settled` waits
   * for that. What the job leaves out takes its default, at any depth.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * const job = { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] }
   * const done = await scheduler.registerJob(job, { enforceIndex: 0 })
   * done.ok && done.value.JobModifyIndex // 2
   * ```
   */
  registerJob: registerMethod(cluster),

  /**
   * Plans the registration of a job: how it differs, and what placing it would do; asks for `namespace:submit-job`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * const job = { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] }
   * const plan = await scheduler.planJob(job, { diff: true })
   * plan.ok && plan.value.Diff?.Type // 'Added'
   * ```
   */
  planJob: planMethod(cluster),

  /**
   * Stops a job, or removes it; asks for `namespace:submit-job`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerJob({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
   * await scheduler.deregisterJob('web', { purge: true })
   * const found = await scheduler.readJob('web')
   * found.ok // false
   * ```
   */
  deregisterJob: deregisterMethod(cluster),
})
