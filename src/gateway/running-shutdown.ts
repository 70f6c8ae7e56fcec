import type { Env, Outcome, Timers } from '../kernel/index.ts'
import {
  endGrace,
  finishShutdown,
  type Shutdown,
  type ShutdownEvent,
  serving,
  signalShutdown,
} from './graceful-shutdown.ts'

/**
 * How a grace period ended: it ran out, or another signal cut it short.
 */
export type GraceEnd = 'elapsed' | 'forced'

/** The shutdown of a controller, with the timer of its grace period. */
export function runningShutdown(options: {
  readonly env: () => Env
  readonly timers: Timers
  /** Adopts a state and emits its events. */
  readonly enter: (
    outcome: Outcome<Shutdown, unknown, ShutdownEvent, string>,
    take: (state: Shutdown) => void,
  ) => void
  /** Called once the grace period is over, and again for each later step. */
  readonly stopped: () => void
}) {
  const { env, timers, enter, stopped } = options
  let shutdown = serving
  const waiting: ((end: GraceEnd) => void)[] = []
  let cancelGrace = () => {}

  const move = (outcome: Outcome<Shutdown, unknown, ShutdownEvent, string>): void => {
    enter(outcome, (next) => {
      shutdown = next
    })
    if (shutdown.phase === 'stopping' || shutdown.phase === 'stopped') stopped()
  }
  const endWaits = (end: GraceEnd): void => {
    cancelGrace()
    for (const settle of waiting.splice(0)) settle(end)
  }
  return {
    now: () => shutdown,
    begin: async (graceMs: number): Promise<GraceEnd> => {
      move(signalShutdown(shutdown, { graceMs }, env()))
      if (shutdown.phase === 'stopping') return 'elapsed'
      if (shutdown.phase === 'stopped') {
        endWaits('forced')
        return 'forced'
      }
      return new Promise<GraceEnd>((resolve) => {
        waiting.push(resolve)
        const elapsed = () => {
          // The timer decides, not the clock, which may have been set back, or be a millisecond behind.
          const now = Math.max(env().now, shutdown.graceEndsAt ?? 0)
          move(endGrace(shutdown, {}, { ...env(), now }))
          endWaits('elapsed')
        }
        cancelGrace = timers.after(graceMs, elapsed, { hold: true })
      })
    },
    finish: (): void => {
      if (shutdown.phase !== 'stopping') move(signalShutdown(shutdown, { graceMs: 0 }, env()))
      move(finishShutdown(shutdown, {}, env()))
      endWaits('forced')
    },
  }
}
