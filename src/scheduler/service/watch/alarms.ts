import type { Instant, Timers } from '../../../kernel/index.ts'
import { isStoreError } from '../../../store/index.ts'

/** Instants at which something of one kind falls due. */
export interface Alarm {
  /** Sets when something falls due; `undefined` is never. */
  readonly set: (id: string, at: Instant | undefined) => void
  /** Does it now, whether it is due or not. */
  readonly ring: (id: string) => void
  readonly has: (id: string) => boolean
  readonly isEmpty: () => boolean
}

/** Alarms of several kinds, and the work they set off. */
export interface Alarms {
  /**
   * Another kind: `ring` is called once for whatever fell due, and not again until it is set again. What it could not
   * do, because a store was away, it is called for once more after a pause.
   */
  readonly kind: (ring: (id: string, at: Instant) => Promise<void> | void) => Alarm
  /** Work that is waited for. */
  readonly run: (work: Promise<void>) => void
  /** Resolves once no work is left. */
  readonly settled: () => Promise<void>
  readonly close: () => Promise<void>
}

/** After how long, in milliseconds, what failed is tried again. */
export const retryPause = 10_000

/** Alarms on one timer, however many things are waited for. */
export function alarms(options: {
  readonly timers: Timers
  readonly now: () => Instant
  readonly onError: (error: unknown) => void
}): Alarms {
  const kinds: { readonly due: Map<string, Instant>; readonly ring: (id: string, at: Instant) => void }[] = []
  const run = (work: Promise<void>) => {
    const done = work
      .catch((error: unknown) => {
        if (!closed && !isStoreError(error, 'closed')) options.onError(error)
      })
      .finally(() => busy.delete(done))
    busy.add(done)
  }
  const busy = new Set<Promise<void>>()
  let cancel = () => {}
  let armed = Number.POSITIVE_INFINITY
  let closed = false

  const arm = (at: Instant) => {
    cancel()
    armed = at
    if (at < Number.POSITIVE_INFINITY) cancel = options.timers.after(Math.max(0, at - options.now()), fire)
  }
  const fire = () => {
    const now = options.now()
    armed = Number.POSITIVE_INFINITY
    for (const { due, ring } of kinds)
      for (const [id, at] of [...due]) {
        if (at > now) continue
        due.delete(id)
        ring(id, at)
      }
    let next = Number.POSITIVE_INFINITY
    for (const { due } of kinds) for (const at of due.values()) if (at < next) next = at
    if (!closed) arm(next)
  }

  return {
    kind: (ring) => {
      const due = new Map<string, Instant>()
      const set = (id: string, at: Instant | undefined) => {
        if (at === undefined) due.delete(id)
        else due.set(id, at)
        // A timer that is too early finds nothing and is set anew.
        if (at !== undefined && at < armed && !closed) arm(at)
      }
      const tryAgain = (id: string) => {
        if (!due.has(id)) set(id, options.now() + retryPause)
      }
      const start = (id: string, at: Instant) => {
        const work = ring(id, at)
        if (work === undefined) return
        const orLater = work.catch((error: unknown) => {
          tryAgain(id)
          throw error
        })
        run(orLater)
      }
      kinds.push({ due, ring: start })
      return {
        set,
        ring: (id) => start(id, options.now()),
        has: (id) => due.has(id),
        isEmpty: () => due.size === 0,
      }
    },
    run,
    settled: async () => {
      while (busy.size > 0) await Promise.all(busy)
    },
    close: async () => {
      closed = true
      cancel()
      await Promise.all(busy)
    },
  }
}
