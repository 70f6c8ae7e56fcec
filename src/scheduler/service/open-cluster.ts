import type { Words } from '../../http/index.ts'
import { eventEmitter } from '../../kernel/event-emitter.ts'
import { systemEnv, systemTimers } from '../../kernel/index.ts'
import { hub as hubOf, replica, type Store } from '../../store/index.ts'
import { runner } from '../../store/transactions/runner.ts'
import { longPolls } from '../blocking/long-polls.ts'
import { waitLimits } from '../blocking/wait.ts'
import { clusterMark, schedulerRecords } from '../records/collections.ts'
import { schedulerTables } from '../records/tables.ts'
import { authenticator } from './authenticate.ts'
import type { Cluster } from './cluster.ts'
import type { SchedulerEvent } from './events.ts'
import type { SchedulerOptions } from './options.ts'
import { listForms } from './read/list-forms.ts'
import { poolsAt } from './read/pools-at.ts'
import { allSettled, type Background } from './watch/background.ts'
import { collector } from './watch/collector.ts'
import { type Deadlines, deadlines } from './watch/deadlines.ts'
import { worker } from './watch/worker.ts'

/** Opens a scheduler's store: its replica, the rows lists read, and everything that watches and works. */
export async function openCluster(options: SchedulerOptions & { readonly store: Store }, words: Words) {
  const { store, env = systemEnv, timers = systemTimers, region = 'global', managementToken } = options
  // Programs without types may say one of the two.
  const { defaultMs = waitLimits.defaultMs, maxMs = waitLimits.maxMs } = options.waits ?? {}
  const onError = (error: unknown) => options.onError?.(error)
  const emit = eventEmitter(options.onEvent, onError)
  const enabled = options.acl === true || managementToken !== undefined
  const view = await replica(store, schedulerRecords, {
    timers,
    onError,
  })
  const hub = hubOf(view, { timers })
  const tables = schedulerTables(view)
  const polls = longPolls(hub, () => view.stale(), { env, timers })
  let isBorn = false
  const beBorn = async () => {
    isBorn ||= (await store.head()) > 0
    // Revision 1 is the cluster's own: whoever waits on index 1 is woken by the first write.
    if (!isBorn) await store.commit([{ id: env().newId('commit'), touch: [clusterMark] }])
    isBorn = true
    return view
  }
  const { commitAt } = runner<SchedulerEvent>({ view: () => (isBorn ? view : beBorn()), env, emit })
  let watch: Deadlines | undefined
  const cluster: Cluster = {
    view,
    hub,
    tables,
    polls,
    authenticate: authenticator(env, { enabled, managementToken }),
    acl: { enabled, given: managementToken !== undefined },
    env,
    region,
    server: {
      name: options.server?.name ?? 'scheduler',
      address: options.server?.address ?? '127.0.0.1',
      datacenter: options.server?.datacenter ?? 'dc1',
    },
    waits: { defaultMs, maxMs },
    consistency: {
      lastContact: options.consistency?.lastContact ?? (() => 0),
      knownLeader: options.consistency?.knownLeader ?? (() => true),
    },
    product: words.all,
    simulate: options.simulate === true,
    heard: (nodeId) => watch?.heard(nodeId),
    commitAt,
    emit: (event) => emit({ at: env().now, ...event }),
    pools: poolsAt(),
    lists: listForms(words.all),
  }
  watch = deadlines(cluster, {
    timers,
    heartbeatTtlMs: options.heartbeatTtlMs,
    onError,
  })
  const work = options.place ? worker(cluster, { timers, onError }) : undefined
  const { collect = false } = options
  const collects =
    collect === false
      ? undefined
      : collector(cluster, { ...(collect === true ? {} : collect), timers, onError })
  const background: readonly Background[] = [collects, watch, work].filter((each) => each !== undefined)
  return {
    cluster,
    callerOf: callerOf(cluster),
    settled: async () => {
      // What others wrote so far is seen by then.
      await view.fresh()
      await allSettled(background)
    },
    close: async () => {
      polls.drain()
      for (const each of background) await each.close()
      hub.close()
      tables.close()
      await view.close()
    },
  }
}

/** Whose token it is, for whoever hears of requests: an accessor, `management` for the secret that is kept nowhere. */
const callerOf =
  ({ acl, authenticate, view }: Cluster) =>
  (token: string | undefined): string | undefined => {
    const known = acl.enabled && token !== undefined ? authenticate(view.stale(), token) : undefined
    return known?.ok ? (known.value.accessor ?? 'management') : undefined
  }
