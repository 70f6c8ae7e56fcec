import type { Env, Outcome, Timers } from '../kernel/index.ts'
import type { ConnectionVerb } from './connection.ts'
import {
  countConnection,
  moveConnection,
  newWorker,
  startWorker,
  stopWorker,
  type Worker,
  type WorkerEvent,
} from './worker.ts'

/** A running worker: it dials, and redials after a pause when its connection failed or broke. */
export interface RunningWorker {
  readonly now: () => Worker
  /** Called when its connection breaks. */
  readonly lost: () => void
  /** Counts a connection of a session; the returned function closes it. */
  readonly open: (session: string) => () => void
  readonly stop: () => void
}

/** The environment of a worker. */
export interface WorkerContext {
  readonly env: () => Env
  readonly timers: Timers
  /** Adopts a state and reports it; false when the transition was refused. */
  readonly enter: <State>(
    outcome: Outcome<State, unknown, WorkerEvent, string>,
    take: (state: State) => void,
  ) => boolean
}

/** @param dial - connects; without it the connection is ready immediately */
export function runningWorker(
  dial: ((signal: AbortSignal) => Promise<void>) | undefined,
  { env, timers, enter }: WorkerContext,
): RunningWorker {
  let worker = newWorker
  const ending = new AbortController()
  let cancelRetry = () => {}
  const take = (next: Worker) => {
    worker = next
  }
  const move = (verb: ConnectionVerb): boolean => enter(moveConnection(worker, { verb }, env()), take)
  /** Each failure schedules its own retry, so that no connection stays broken. */
  const failed = (): void => {
    // A listener of the failure may have begun the shutdown.
    if (!move('fail') || worker.connection !== 'TRANSIENT_FAILURE') return
    const { now } = env()
    cancelRetry = timers.after(Math.max(0, (worker.retryAt ?? now) - now), () => {
      if (move('retry')) void connect()
    })
  }
  const connect = async (): Promise<void> => {
    try {
      await dial?.(ending.signal)
    } catch {
      return failed()
    }
    move('succeed')
  }

  enter(startWorker(worker, {}, env()), take)
  move('connect')
  if (dial === undefined) move('succeed')
  else void connect()
  return {
    now: () => worker,
    lost: () => {
      // A dial in progress reports its own result; only an established connection can be lost.
      if (worker.connection === 'READY') failed()
    },
    open: (session) => {
      const count = (change: 1 | -1) => enter(countConnection(worker, { session, change }, env()), take)
      count(1)
      let isOpen = true
      return () => {
        if (isOpen) count(-1)
        isOpen = false
      }
    },
    stop: () => {
      cancelRetry()
      ending.abort()
      enter(stopWorker(worker, {}, env()), take)
    },
  }
}
