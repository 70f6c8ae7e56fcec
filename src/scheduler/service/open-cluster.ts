import type { Words } from '../../http/index.ts'
import { eventEmitter, type Reporter } from '../../kernel/event-emitter.ts'
import { type Env, systemTimers } from '../../kernel/index.ts'
import { hub as hubOf, isLocal, type Store } from '../../store/index.ts'
import { openRealm } from '../../store/realm/realm-owner.ts'
import { runner } from '../../store/transactions/runner.ts'
import { longPolls } from '../blocking/long-polls.ts'
import { waitLimits } from '../blocking/wait.ts'
import { usualMaxCount } from '../jobs/counts.ts'
import { clusterMark, nodeTokenRecords, schedulerRecords } from '../records/collections.ts'
import { schedulerTables } from '../records/tables.ts'
import { authenticator } from './authenticate.ts'
import type { Cluster } from './cluster.ts'
import { eventLog } from './event-stream/log.ts'
import type { SchedulerEvent } from './events.ts'
import { openFleet } from './fleet.ts'
import type { LentTokens } from './lent-tokens.ts'
import { isGuarded, type SchedulerOptions } from './options.ts'
import { listForms } from './read/list-forms.ts'
import { poolsAt } from './read/pools-at.ts'
import { runnerCalls } from './runner-calls.ts'
import { allSettled, type Background } from './watch/background.ts'
import { collector } from './watch/collector.ts'
import { type Deadlines, deadlines } from './watch/deadlines.ts'
import { worker } from './watch/worker.ts'
import { JobTallies } from './write/job-tally.ts'

/** Opens a scheduler's store: its replica, the rows of lists, and all background work. */
export async function openCluster(
  options: SchedulerOptions & { readonly store: Store; readonly env: () => Env },
  words: Words,
  lent: LentTokens,
) {
  const { store, env, timers = systemTimers, region = 'global', managementToken } = options
  // Programs without types may pass only one of the two.
  const { defaultMs = waitLimits.defaultMs, maxMs = waitLimits.maxMs } = options.waits ?? {}
  const onError: Reporter = eventEmitter(options.onError)
  const emit = eventEmitter(options.onEvent, onError)
  const enabled = isGuarded(options)
  const view = await openRealm('scheduler', store, schedulerRecords, { timers, onError })
  const hub = hubOf(view, { timers })
  const tables = schedulerTables(view)
  const fleet = openFleet(view, tables)
  const polls = longPolls(hub, () => view.stale(), { env, timers })
  const events = eventLog(view)
  const runners = runnerCalls(timers, () => env().newId('call'))
  const drain = () => {
    polls.drain()
    runners.close()
    events.close()
  }
  let isBorn = false
  const create = async () => {
    isBorn ||= (await store.head()) > 0
    // Revision 1 creates the cluster: a wait on index 1 ends with the first write.
    if (!isBorn) await store.commit([{ id: env().newId('commit'), touch: [clusterMark] }])
    isBorn = true
    return view
  }
  const { commitAt } = runner<SchedulerEvent>({
    service: 'scheduler',
    view: () => (isBorn ? view : create()),
    env,
    emit,
  })
  let watch: Deadlines | undefined
  const cluster: Cluster = {
    view,
    hub,
    tables,
    polls,
    events,
    authenticate: authenticator(env, { enabled, managementToken, lent }),
    acl: { enabled, given: managementToken !== undefined },
    env,
    region,
    namespaces: options.namespaces,
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
    simulates: (nodeId) =>
      options.simulate === true && nodeTokenRecords.get(view.stale(), nodeId) === undefined,
    heartbeatTtlMs: options.heartbeatTtlMs ?? runnerTtlMs,
    heard: (nodeId) => watch?.heard(nodeId),
    runners,
    commitAt,
    emit: (event) => emit({ at: env().now, ...event }),
    pools: poolsAt(),
    lists: listForms(words.all),
    fleet,
    tallies: new JobTallies(),
    keptEvaluations: {
      most: options.maxEvaluations ?? usualMaxEvaluations,
      // Without placement no evaluation ever finishes.
      phases: options.place === true ? ['over'] : ['over', 'open'],
    },
    places: options.place === true,
    maxCount: options.maxCount ?? usualMaxCount,
  }
  watch = deadlines(cluster, {
    timers,
    heartbeatTtlMs: (nodeId) =>
      options.heartbeatTtlMs ??
      (nodeTokenRecords.get(view.stale(), nodeId) === undefined ? undefined : runnerTtlMs),
    isShared: !isLocal(store),
    onError,
  })
  const work = options.place ? worker(cluster, { timers, onError }) : undefined
  const { collect = true } = options
  const collects =
    collect === false
      ? undefined
      : collector(cluster, { ...(collect === true ? {} : collect), timers, onError })
  const background: readonly Background[] = [collects, watch, work].filter((each) => each !== undefined)
  return {
    cluster,
    callerOf: callerOf(cluster),
    drain,
    settled: async () => {
      // By then this replica has seen the earlier commits of other processes.
      await view.fresh()
      await allSettled(background)
    },
    close: async () => {
      drain()
      for (const each of background) await each.close()
      hub.close()
      fleet.close()
      tables.close()
      await view.close()
    },
  }
}

/** The default maximum time between the heartbeats of a node with a runner. */
const runnerTtlMs = 30_000

/** How many finished evaluations of a job are kept. */
const usualMaxEvaluations = 100

/** The caller for `onRequest`: the accessor of a token, or `management` for the configured secret. */
const callerOf =
  ({ acl, authenticate, view }: Cluster) =>
  (token: string | undefined): string | undefined => {
    const known = acl.enabled && token !== undefined ? authenticate(view.stale(), token) : undefined
    return known?.ok ? (known.value.accessor ?? 'management') : undefined
  }
