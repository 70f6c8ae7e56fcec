import type { Reporter } from '../../../kernel/event-emitter.ts'
import type { Timers } from '../../../kernel/index.ts'
import { isStoreError } from '../../../store/index.ts'
import { hasEnded } from '../../allocations/rules.ts'
import type { Evaluation } from '../../evaluations/model.ts'
import { isWaiting, waitsUntil } from '../../evaluations/rules.ts'
import {
  allocationRecords,
  configurationRecords,
  evaluationRecords,
  nodeRecords,
} from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import { configurationAt } from '../read/configuration-at.ts'
import { beginning } from '../read/list.ts'
import { failEvaluation } from '../write/fail-evaluation.ts'
import type { JobName } from '../write/ledger.ts'
import { placeJob } from '../write/place-job.ts'
import { workOffStop } from '../write/stop-job.ts'
import { type Alarm, alarms, isStoreAway, retryPause } from './alarms.ts'
import type { Background } from './background.ts'

/** How many pending evaluations are processed before the list is read again. */
const round = 64

/** How often a failing evaluation is tried. */
const mostTries = 3

/**
 * Processes pending evaluations, those of high priority first, and blocked ones again when a node or capacity may have
 * appeared. It follows the store, so it does not matter which process created an evaluation; several workers are safe,
 * because every commit expects the records that it was decided on. Evaluations with a start time are
 * processed at that time. One that fails is retried after a pause and is failed in the end; it does not block the
 * others.
 */
export function worker(
  cluster: Cluster,
  { timers, onError }: { readonly timers: Timers; readonly onError: Reporter },
): Background {
  const { view } = cluster
  let mayHaveRoom = true
  const waits = alarms({ timers, now: () => cluster.env().now, onError })

  const pass = async (isClosed: () => boolean) => {
    if (configurationAt(await view.fresh()).PauseEvalBroker) return
    const tryAll = async (status: 'pending' | 'blocked', most: number) => {
      const found = await dueInStatus(cluster, { due, retries }, status, most)
      for (const { ID, Namespace, JobID } of found) {
        if (isClosed()) return false
        try {
          await workOff(cluster, ID, { Namespace, ID: JobID }, isClosed)
          tries.forget(ID)
        } catch (error) {
          if (isClosed() || isStoreAway(error)) throw error
          await tries.putOff(ID, error)
        }
      }
      return found.length > 0
    }
    while (await tryAll('pending', round));
    if (!mayHaveRoom || isClosed()) return
    mayHaveRoom = false
    // Each of them once: most stay blocked, and none may delay those behind it.
    await tryAll('blocked', Number.POSITIVE_INFINITY)
  }
  const passes = repeatedly(pass, (error) => {
    retries.setIn('all', retryPause)
    onError(error)
  })
  const due = waits.kind(passes.start)
  const retries = waits.kind(() => {
    mayHaveRoom = true
    passes.start()
  })
  const tries = failedTries(cluster, retries, onError)

  const off = view.onChange((_rev, keys) => {
    waits.lookAtClock()
    let isConcerned = false
    for (const key of keys) {
      if (key.startsWith(nodeRecords.prefix) || key.startsWith(configurationRecords.prefix))
        mayHaveRoom = true
      else if (key.startsWith(allocationRecords.prefix)) mayHaveRoom ||= leavesRoom(cluster, key)
      else if (!key.startsWith(evaluationRecords.prefix)) continue
      isConcerned = true
    }
    if (isConcerned) passes.start()
  })
  passes.start()

  return {
    isBusy: passes.isBusy,
    settled: passes.settled,
    close: async () => {
      off()
      await Promise.all([passes.close(), waits.close()])
    },
  }
}

/** Runs passes one after the other, as long as another one was asked for. */
function repeatedly(pass: (isClosed: () => boolean) => Promise<void>, failed: (error: unknown) => void) {
  let running: Promise<boolean> | undefined
  let closed = false
  let isDue = false
  const run = () => {
    if (closed || running !== undefined) return
    running = Promise.resolve()
      .then(async () => {
        while (isDue && !closed) {
          isDue = false
          await pass(() => closed)
        }
        return true
      })
      .catch((error: unknown) => {
        if (!closed && !isStoreError(error, 'closed')) failed(error)
        return false
      })
      .finally(() => {
        running = undefined
        if (isDue) run()
      })
  }
  return {
    start: (): void => {
      isDue = true
      run()
    },
    isBusy: (): boolean => running !== undefined,
    settled: async (): Promise<boolean> => {
      while (running !== undefined) if (!(await running)) return false
      return true
    },
    close: async (): Promise<void> => {
      closed = true
      await running
    },
  }
}

/** The due evaluations of a status that are not waiting for a retry; those of high priority first. */
async function dueInStatus(
  { view, tables, env }: Cluster,
  { due, retries }: { readonly due: Alarm; readonly retries: Alarm },
  status: string,
  most: number,
): Promise<readonly Evaluation[]> {
  const rows = tables.evaluations
    .at(await view.fresh())
    .by('status')
    .chunks({ prefix: beginning([status]) })
  const { now } = env()
  const found: Evaluation[] = []
  for (const chunk of rows)
    for (const row of chunk) {
      if (isWaiting(row, now)) due.set(row.ID, waitsUntil(row))
      else if (!retries.has(row.ID)) found.push(row)
      if (found.length === most) return byPriority(found)
    }
  return byPriority(found)
}

/** Counts the failed tries of evaluations: each is retried later, and failed in the end. */
function failedTries(cluster: Cluster, retries: Alarm, onError: Reporter) {
  const tries = new Map<string, number>()
  return {
    forget: (id: string): void => void tries.delete(id),
    /** Only the first error of an evaluation is reported: the others are the same. */
    putOff: async (id: string, error: unknown): Promise<void> => {
      const tried = (tries.get(id) ?? 0) + 1
      tries.set(id, tried)
      if (tried === 1) onError(error)
      retries.setIn(id, retryPause * tried)
      if (tried < mostTries) return
      try {
        await failEvaluation(cluster, id, tried)
      } catch (unwritten) {
        if (isStoreAway(unwritten)) throw unwritten
        return onError(unwritten)
      }
      retries.set(id, undefined)
      tries.delete(id)
    },
  }
}

/** Processes one evaluation of a job. */
async function workOff(cluster: Cluster, id: string, name: JobName, isClosed: () => boolean): Promise<void> {
  const now = await cluster.view.fresh()
  if (cluster.tables.jobs.at(now).get(name.Namespace, name.ID)?.Stop === true)
    return workOffStop(cluster, name, isClosed)
  await placeJob(cluster, id, isClosed)
}

/** Whether the allocation at a key no longer uses resources. */
function leavesRoom({ view }: Cluster, key: string): boolean {
  const entry = view.stale().get(key)
  return entry === undefined || hasEnded(allocationRecords.stored(entry).value)
}

const byPriority = (rows: readonly Evaluation[]) =>
  [...rows].sort((a, b) => b.Priority - a.Priority || a.CreateIndex - b.CreateIndex)
