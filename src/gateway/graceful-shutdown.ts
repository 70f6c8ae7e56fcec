import { checkArguments } from '../kernel/check-arguments.ts'
import {
  answer,
  type Env,
  type Instant,
  lifecycle,
  move,
  type Outcome,
  refuse,
  step,
} from '../kernel/index.ts'

/**
 * The shutdown of a controller: phase → verb → phase.
 *
 * @remarks
 * While it drains, a controller tells health probes
 * 503 and serves every other request normally; `stopping` is when shutdown has begun.
 */
export const shutdownLifecycle = lifecycle({
  serving: { drain: 'draining', stop: 'stopping' },
  draining: { stop: 'stopping', force: 'stopped' },
  stopping: { finish: 'stopped', force: 'stopped' },
  stopped: {},
})

/**
 * The phases of a controller's shutdown.
 */
export type ShutdownPhase = keyof typeof shutdownLifecycle

/**
 * The shutdown of a controller: its phase, and the end of its grace period.
 */
export interface Shutdown {
  /** The current phase. */
  readonly phase: ShutdownPhase
  /** When shutdown starts; `null` unless draining. */
  readonly graceEndsAt: Instant | null
}

/**
 * The events of a shutdown.
 */
export type ShutdownEvent = { readonly type: 'shutdown.moved'; readonly phase: ShutdownPhase }

/**
 * A controller that serves requests.
 */
export const serving: Shutdown = { phase: 'serving', graceEndsAt: null }

const enter = (state: Shutdown, phase: ShutdownPhase, graceEndsAt: Instant | null = null) =>
  step(state, (draft, emit: (event: ShutdownEvent) => void) => {
    draft.phase = phase
    draft.graceEndsAt = graceEndsAt
    emit({ type: 'shutdown.moved', phase })
    return phase
  })

/**
 * Handles a shutdown signal. The first starts the grace period, or the shutdown if there is none; a later one ends the
 * grace period immediately.
 *
 * @param input - `graceMs`: how long to report unhealthy while serving; 0 for no grace period
 * @returns the phase that follows
 *
 * @example
 * ```ts
 * import { unwrap, unwrapStep } from 'plinth'
 * import { serving, signalShutdown } from 'plinth/gateway'
 *
 * const env = { now: 0, newId: () => '' }
 * const draining = unwrapStep(signalShutdown(serving, { graceMs: 3000 }, env)).state
 * draining // { phase: 'draining', graceEndsAt: 3000 }
 * unwrap(signalShutdown(draining, { graceMs: 3000 }, env)) // 'stopped'
 * ```
 */
export function signalShutdown(
  state: Shutdown,
  input: { readonly graceMs: number },
  env: Env,
): Outcome<Shutdown, ShutdownPhase, ShutdownEvent> {
  checkArguments('state input env', state, input, env)
  switch (state.phase) {
    case 'serving':
      return input.graceMs > 0
        ? enter(state, move(shutdownLifecycle, 'serving', 'drain'), env.now + input.graceMs)
        : enter(state, move(shutdownLifecycle, 'serving', 'stop'))
    case 'draining':
    case 'stopping':
      return enter(state, move(shutdownLifecycle, state.phase, 'force'))
    case 'stopped':
      return answer(state, 'stopped')
  }
}

/**
 * Starts shutdown when the grace period is over. Called early, or when not draining, it changes nothing.
 *
 * @example
 * ```ts
 * import { unwrap, unwrapStep } from 'plinth'
 * import { endGrace, serving, signalShutdown } from 'plinth/gateway'
 *
 * const at = (now: number) => ({ now, newId: () => 'a' })
 * const draining = unwrapStep(signalShutdown(serving, { graceMs: 3000 }, at(0))).state
 * unwrap(endGrace(draining, {}, at(1000))) // 'draining'
 * unwrap(endGrace(draining, {}, at(3000))) // 'stopping'
 * ```
 */
export function endGrace(
  state: Shutdown,
  _input: Readonly<Record<never, never>>,
  env: Env,
): Outcome<Shutdown, ShutdownPhase, ShutdownEvent> {
  checkArguments('state env', state, env)
  if (state.phase !== 'draining' || (state.graceEndsAt ?? 0) > env.now) return answer(state, state.phase)
  return enter(state, move(shutdownLifecycle, 'draining', 'stop'))
}

/**
 * Marks shutdown as done.
 *
 * @returns `not_shutting_down` if it has not begun.
 *
 * @example
 * ```ts
 * import { unwrap, unwrapStep } from 'plinth'
 * import { finishShutdown, serving, signalShutdown } from 'plinth/gateway'
 *
 * const stopping = unwrapStep(signalShutdown(serving, { graceMs: 0 }, { now: 0, newId: () => 'a' })).state
 * unwrap(finishShutdown(stopping, {})) // 'stopped'
 * finishShutdown(serving, {}).ok // false
 * ```
 */
export function finishShutdown(
  state: Shutdown,
  _input: Readonly<Record<never, never>>,
  _env?: Env,
): Outcome<Shutdown, ShutdownPhase, ShutdownEvent, 'not_shutting_down'> {
  checkArguments('state', state)
  if (state.phase === 'stopped') return answer(state, 'stopped')
  if (state.phase !== 'stopping')
    return refuse(
      'not_shutting_down',
      `the controller is ${state.phase}: signal it, and let its grace end, first`,
    )
  return enter(state, move(shutdownLifecycle, 'stopping', 'finish'))
}
