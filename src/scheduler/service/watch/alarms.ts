import type { Reporter } from '../../../kernel/event-emitter.ts'
import type { Instant, Timers } from '../../../kernel/index.ts'
import { isStoreError } from '../../../store/index.ts'

/** The due times of one kind of alarm. */
export interface Alarm {
  /** Sets the due time of a key; `undefined` for never. */
  readonly set: (id: string, at: Instant | undefined) => void
  /** Sets the due time of a key relative to now, in milliseconds; a changed clock does not move it. */
  readonly setIn: (id: string, ms: number) => void
  /** Rings now, whether it is due or not. */
  readonly ring: (id: string) => void
  readonly has: (id: string) => boolean
  readonly isEmpty: () => boolean
}

/** Alarms of several kinds, and the work that they trigger. */
export interface Alarms {
  /**
   * Adds a kind of alarm. `ring` is called once for the keys that are due, and not again until they are set again. If
   * it fails, it is retried after a pause; the pauses grow, unless the store was unavailable.
   *
   * @param isSetBack - the clock was set back: times that were computed from the earlier clock are computed again
   */
  readonly kind: (ring: (id: string, at: Instant) => Promise<void> | void, isSetBack?: () => void) => Alarm
  /** Reads the clock, because the host does not report that it was set back. */
  readonly lookAtClock: () => void
  /** Adds work that `settled` waits for. */
  readonly run: (work: Promise<void>) => void
  readonly isBusy: () => boolean
  /** Resolves once no work is left: `false` if some of it failed, which is retried after a pause. */
  readonly settled: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/** The first pause before a retry, in milliseconds. */
export const retryPause = 10_000

/** The longest pause, for work that fails repeatedly by itself. */
const longestPause = 300_000

/** Whether the store itself is unavailable; otherwise it refused this one commit. */
export const isStoreAway = (error: unknown): boolean =>
  isStoreError(error) && !isStoreError(error, 'invalid', 'unique', 'not_held', 'contended')

/** The maximum time between two reads of the clock while an alarm is pending, in milliseconds. */
const longestSleep = 3_600_000

/** A timer that is later than this, in milliseconds, means that the clock was set ahead or the host slept. */
const muchLater = 1000

/** A due time, and whether it was set relative to the clock. */
interface Due {
  readonly at: Instant
  readonly isRelative: boolean
}

interface Kind {
  readonly due: Map<string, Due>
  readonly ring: (id: string, at: Instant) => void
  readonly isSetBack: () => void
}

/** Creates alarms that share one timer. */
export function alarms(options: {
  readonly timers: Timers
  readonly now: () => Instant
  readonly onError: Reporter
}): Alarms {
  const kinds: Kind[] = []
  const work = runningWork(options.onError)
  let cancel = () => {}
  let armed = Number.POSITIVE_INFINITY
  let seen = Number.NEGATIVE_INFINITY
  let closed = false

  /**
   * Reads the clock. If it shows less than before, it was set back, and absolute due times no longer hold; if it shows
   * much more, everything that became due meanwhile is due immediately.
   */
  const look = (): Instant => {
    const now = options.now()
    const back = seen - now
    seen = now
    // The clock was set ahead, or the host slept: the timer does not notice.
    if (armed < now - muchLater) arm(armed)
    if (back <= 0) return now
    for (const kind of kinds) setBack(kind, back)
    armForNext()
    return now
  }
  const arm = (at: Instant) => {
    cancel()
    armed = at
    if (at === Number.POSITIVE_INFINITY || closed) return
    const pause = Math.max(0, at - options.now())
    cancel = options.timers.after(Math.min(pause, longestSleep), fire)
  }
  const armBy = (at: Instant) => {
    if (at < armed) arm(at)
  }
  const armForNext = () => {
    let next = Number.POSITIVE_INFINITY
    for (const { due } of kinds) for (const { at } of due.values()) if (at < next) next = at
    arm(next)
  }
  const fire = () => {
    const now = look()
    armed = Number.POSITIVE_INFINITY
    for (const kind of kinds) ringDue(kind, now)
    armForNext()
  }

  return {
    kind: (ring, isSetBack = () => {}) => {
      const { start, due, alarm } = newKind(ring, { now: options.now, look, armBy, run: work.run })
      kinds.push({ due, ring: start, isSetBack })
      return alarm
    },
    lookAtClock: look,
    run: work.run,
    isBusy: work.isBusy,
    settled: work.settled,
    close: async () => {
      closed = true
      cancel()
      await work.close()
    },
  }
}

/** Moves the due times that were set relative to a clock that was set back. */
function setBack({ due, isSetBack }: Kind, back: number): void {
  for (const [id, { at, isRelative }] of due) if (isRelative) due.set(id, { at: at - back, isRelative })
  isSetBack()
}

function ringDue({ due, ring }: Kind, now: Instant): void {
  for (const [id, { at }] of [...due]) {
    if (at > now) continue
    due.delete(id)
    ring(id, at)
  }
}

/** The clock that all kinds of alarms share, and the work that they trigger. */
interface Shared {
  readonly now: () => Instant
  readonly look: () => Instant
  /** Sets the timer, unless it is due earlier. */
  readonly armBy: (at: Instant) => void
  readonly run: (work: Promise<void>) => void
}

function newKind(ring: Parameters<Alarms['kind']>[0], { now, look, armBy, run }: Shared) {
  const due = new Map<string, Due>()
  /** How often the retried work has failed by itself. */
  const failures = new Map<string, number>()
  const put = (id: string, at: Instant, isRelative: boolean) => {
    due.set(id, { at, isRelative })
    // A timer that fires early finds nothing due, and is set again.
    armBy(at)
  }
  const setIn = (id: string, ms: number) => put(id, look() + ms, true)
  const start = (id: string, at: Instant) => {
    const work = ring(id, at)
    if (work === undefined) return
    const tried = work.then(
      () => void failures.delete(id),
      (error: unknown) => {
        const failed = isStoreAway(error) ? 0 : (failures.get(id) ?? 0)
        failures.set(id, failed + 1)
        if (!due.has(id)) setIn(id, Math.min(longestPause, retryPause * 2 ** failed))
        throw error
      },
    )
    run(tried)
  }
  const alarm: Alarm = {
    set: (id, at) => {
      if (at !== undefined) return put(id, at, false)
      due.delete(id)
      failures.delete(id)
    },
    setIn,
    ring: (id) => start(id, now()),
    has: (id) => due.has(id),
    isEmpty: () => due.size === 0,
  }
  return { start, due, alarm }
}

/** The work that alarms have triggered, until it ends. */
function runningWork(onError: Reporter) {
  const busy = new Set<Promise<boolean>>()
  let closed = false
  return {
    run: (work: Promise<void>): void => {
      const done: Promise<boolean> = work
        .then(() => true)
        .catch((error: unknown) => {
          if (!closed && !isStoreError(error, 'closed')) onError(error)
          return false
        })
        .finally(() => busy.delete(done))
      busy.add(done)
    },
    isBusy: (): boolean => busy.size > 0,
    settled: async (): Promise<boolean> => {
      while (busy.size > 0) if ((await Promise.all(busy)).includes(false)) return false
      return true
    },
    close: async (): Promise<void> => {
      closed = true
      await Promise.all(busy)
    },
  }
}
