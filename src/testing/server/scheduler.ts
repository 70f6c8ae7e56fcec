import { checkOptions } from '../../kernel/check-options.ts'
import { unwrap } from '../../kernel/index.ts'
import type { SchedulerOptions } from '../../scheduler/service/options.ts'
import type { Scheduler } from '../../scheduler/service.ts'
import { type Kind, type Started, type StartOptions, start } from './start.ts'

/** Options of {@link startScheduler} besides those of the service. */
export interface StartSchedulerOptions
  extends StartOptions<Scheduler>,
    Omit<SchedulerOptions, 'store' | 'env' | 'timers' | 'acl' | 'managementToken'> {}

/**
 * Starts a job scheduler for tests on a port of its own, with access control. Jobs are placed on the nodes it has, and
 * run at once (`place`, `simulate`). Clients of Nomad take its address and token from `env`.
 *
 * @example
 * ```ts
 * import { startScheduler } from 'plinth/testing'
 *
 * const server = await startScheduler()
 * const jobs = await fetch(`${server.env['NOMAD_ADDR']}/v1/jobs`, { headers: { 'X-Nomad-Token': server.token } })
 * jobs.status // 200
 * Number(jobs.headers.get('X-Nomad-Index')) > 0 // true
 * server.requests.map(({ path }) => path) // ['/v1/jobs']
 * await server.close()
 * ```
 */
export async function startScheduler(options: StartSchedulerOptions = {}): Promise<Started<Scheduler>> {
  const { createScheduler } = await import('../../scheduler/service.ts')
  const { schedulerOptions } = await import('../../scheduler/service/options.ts')
  const { port, clock, prepare, ...service } = options
  const { acl, managementToken, ...known } = schedulerOptions
  checkOptions('startScheduler', options, { port: true, clock: true, prepare: true, ...known })
  const kind: Kind<Scheduler, { readonly token: string; readonly accessor: string }, object> = {
    open: async ({ store, credentials }, { env, timers }) => {
      const made = createScheduler({ place: true, simulate: true, ...service, store, env, timers, acl: true })
      if (credentials !== undefined) return { service: made, credentials }
      const { SecretID, AccessorID } = unwrap(await made.bootstrapAcl())
      return { service: made, credentials: { token: SecretID, accessor: AccessorID } }
    },
    env: (url, token) => ({
      NOMAD_ADDR: url,
      NOMAD_TOKEN: token,
      SCHEDULER_ADDR: url,
      SCHEDULER_TOKEN: token,
    }),
    expire: async (each, { token, accessor }) => unwrap(await each.deleteToken(accessor, { token })),
    drain: (each) => each.drain(),
    more: () => ({}),
  }
  return start(kind, { port, clock, prepare })
}
