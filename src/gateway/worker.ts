import { checkArguments } from '../kernel/check-arguments.ts'
import {
  answer,
  type Env,
  type Instant,
  lifecycle,
  nextStatus,
  type Outcome,
  refuse,
  step,
} from '../kernel/index.ts'
import { type ConnectionState, type ConnectionVerb, connectionLifecycle, retryDelayMs } from './connection.ts'

/**
 * The states of a worker process: state → verb → state.
 */
export const workerLifecycle = lifecycle({
  unknown: { start: 'active', stop: 'shutdown' },
  active: { stop: 'shutdown' },
  shutdown: {},
})

/**
 * The state of a worker process.
 */
export type WorkerState = keyof typeof workerLifecycle

/**
 * A worker process: its state, its channel to the upstream, and its sessions.
 */
export interface Worker {
  /** Whether it is running. */
  readonly state: WorkerState
  /** The state of its channel to the upstream. */
  readonly connection: ConnectionState
  /** Failed attempts since the channel was last ready. */
  readonly failures: number
  /** When the next attempt is due; `null` unless the channel has failed. */
  readonly retryAt: Instant | null
  /** Session → its open connections. */
  readonly sessions: Readonly<Record<string, number>>
}

/**
 * The events of a worker.
 */
export type WorkerEvent =
  | { readonly type: 'worker.moved'; readonly state: WorkerState }
  | { readonly type: 'worker.connection'; readonly from: ConnectionState; readonly to: ConnectionState }

/**
 * A worker before it starts.
 */
export const newWorker: Worker = {
  state: 'unknown',
  connection: 'IDLE',
  failures: 0,
  retryAt: null,
  sessions: {},
}

/**
 * Starts a worker; a running one stays unchanged.
 *
 * @returns the worker's state, or `worker_stopped` if it has been shut down.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { newWorker, startWorker, stopWorker } from 'plinth/gateway'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const stopped = unwrapStep(stopWorker(newWorker, {}, env)).state
 * const again = startWorker(stopped, {}, env)
 * again.ok || again.refusal.code // 'worker_stopped'
 * ```
 */
export function startWorker(
  worker: Worker,
  _input: Readonly<Record<never, never>>,
  _env?: Env,
): Outcome<Worker, WorkerState, WorkerEvent, 'worker_stopped'> {
  checkArguments('worker', worker)
  if (worker.state === 'active') return answer(worker, 'active')
  const to = nextStatus(workerLifecycle, worker.state, 'start')
  if (!to) return refuse('worker_stopped', 'the worker was shut down and cannot start again')
  return step(worker, (draft, emit) => {
    draft.state = to
    emit({ type: 'worker.moved', state: to })
    return to
  })
}

/**
 * Starts a worker's graceful stop: it and its channel are `shutdown` from now on.
 *
 * @example
 * ```ts
 * import { unwrap, unwrapStep } from 'plinth'
 * import { newWorker, startWorker, stopWorker } from 'plinth/gateway'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const started = unwrapStep(startWorker(newWorker, {}, env))
 * started.value // 'active'
 * unwrap(stopWorker(started.state, {}, env)) // 'shutdown'
 * ```
 */
export function stopWorker(
  worker: Worker,
  _input: Readonly<Record<never, never>>,
  _env?: Env,
): Outcome<Worker, WorkerState, WorkerEvent> {
  checkArguments('worker', worker)
  if (worker.state === 'shutdown') return answer(worker, 'shutdown')
  return step(worker, (draft, emit) => {
    draft.state = 'shutdown'
    emit({ type: 'worker.moved', state: 'shutdown' })
    if (worker.connection !== 'SHUTDOWN')
      emit({ type: 'worker.connection', from: worker.connection, to: 'SHUTDOWN' })
    draft.connection = 'SHUTDOWN'
    draft.retryAt = null
    return 'shutdown' as const
  })
}

/**
 * Moves a worker's channel. A failure says when to retry, later after each failure in a row.
 *
 * @returns the state that follows, or `illegal_connection_move` when {@link connectionLifecycle} has no such move;
 * a channel shut down twice stays unchanged.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { moveConnection, newWorker } from 'plinth/gateway'
 *
 * const env = { now: 0, newId: () => '' }
 * const dialling = unwrapStep(moveConnection(newWorker, { verb: 'connect' }, env)).state
 * unwrapStep(moveConnection(dialling, { verb: 'fail' }, env)).state.retryAt // 1000
 * ```
 */
export function moveConnection(
  worker: Worker,
  input: { readonly verb: ConnectionVerb },
  env: Env,
): Outcome<Worker, ConnectionState, WorkerEvent, 'illegal_connection_move'> {
  checkArguments('worker input env', worker, input, env)
  const from = worker.connection
  const to = nextStatus(connectionLifecycle, from, input.verb)
  if (!to) {
    if (input.verb === 'shutdown') return answer(worker, from)
    return refuse('illegal_connection_move', `a channel that is ${from} cannot ${input.verb}`, { from })
  }
  return step(worker, (draft, emit) => {
    draft.connection = to
    if (to === 'READY') draft.failures = 0
    if (to === 'TRANSIENT_FAILURE') draft.failures += 1
    draft.retryAt = to === 'TRANSIENT_FAILURE' ? env.now + retryDelayMs(draft.failures) : null
    emit({ type: 'worker.connection', from, to })
    return to
  })
}

/**
 * Counts a session's connection, opened (`+1`) or closed (`-1`). A session without connections is dropped.
 *
 * @returns the number of the session's connections, or `no_such_connection` for closing one that is not open.
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { countConnection, newWorker } from 'plinth/gateway'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const opened = countConnection(newWorker, { session: 's1', change: 1 }, env)
 * unwrap(opened) // 1
 * const closed = countConnection(newWorker, { session: 's2', change: -1 }, env)
 * closed.ok ? '' : closed.refusal.code // 'no_such_connection'
 * ```
 */
export function countConnection(
  worker: Worker,
  input: { readonly session: string; readonly change: 1 | -1 },
  _env?: Env,
): Outcome<Worker, number, WorkerEvent, 'no_such_connection'> {
  checkArguments('worker input', worker, input)
  const open = Object.hasOwn(worker.sessions, input.session) ? (worker.sessions[input.session] ?? 0) : 0
  const count = open + input.change
  if (count < 0) return refuse('no_such_connection', `session ${input.session} has no open connection`)
  // Without a prototype a session may be called anything; copied in one step, since there may be thousands.
  const sessions: Record<string, number> = Object.assign(Object.create(null), worker.sessions)
  if (count === 0) delete sessions[input.session]
  else sessions[input.session] = count
  return { ok: true, state: { ...worker, sessions }, value: count, events: [] }
}
