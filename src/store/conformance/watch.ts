import { systemTimers } from '../../kernel/index.ts'
import { decorated } from '../decorators/decorated.ts'
import type { Store } from '../port/port.ts'
import type { Harness, Kit } from './harness.ts'

/** How many seconds of the event loop a call may take, and a case may pass while all its calls wait. */
const patience = 10

/** More waits in one turn of the event loop than any case begins: a follower that never rests. */
const waitsPerTurn = 1_000

/** Notices calls that are never answered, and loops that keep the event loop from turning. */
export interface Watch {
  /** What is opened, its calls observed. */
  opened(what: string, work: () => Promise<Store>): Promise<Store>
  /** The store that the adapter opened. */
  beneath(store: Store): Store
}

/**
 * A test that keeps the process alive until it ends, and fails if a call is never answered. Seconds are counted by
 * turns of the event loop, so that a machine that stands still counts as one.
 */
export const watched = (run: (watch: Watch) => Promise<void>) => async (): Promise<void> => {
  const calls = watchedCalls()
  const originals = new WeakMap<Store, Store>()
  const over = (store: Store): Store => {
    const observed = observedStore(store, calls)
    originals.set(observed, store)
    return observed
  }
  try {
    await Promise.race([
      calls.failed,
      run({
        opened: async (what, work) => over(await calls.answer(what, work)),
        beneath: (store) => originals.get(store) ?? store,
      }),
    ])
  } finally {
    calls.stop()
  }
}

/** Calls that must be answered; `failed` rejects when one is not. */
function watchedCalls() {
  let fail: (error: Error) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => undefined)
  const pending = new Set<{ readonly what: string; readonly isAwaited: boolean; seconds: number }>()
  let [silent, waits] = [0, 0]

  const tick = () => {
    silent += 1
    for (const call of pending) call.seconds += 1
    const late = [...pending].find(({ isAwaited, seconds }) => isAwaited && seconds >= patience)
    if (late !== undefined) fail(new Error(`${late.what} was not answered within ${patience} s`))
    const all = [...pending].map(({ what }) => what).join(', ')
    if (silent >= patience && all !== '')
      fail(new Error(`nothing was answered for ${patience} s; still waiting: ${all}`))
    cancel = systemTimers.after(1_000, tick, { hold: true })
  }
  let cancel = systemTimers.after(1_000, tick, { hold: true })

  const answering = async <T>(what: string, work: () => Promise<T>, isAwaited: boolean): Promise<T> => {
    const call = { what, isAwaited, seconds: 0 }
    pending.add(call)
    try {
      return await work()
    } finally {
      pending.delete(call)
      silent = 0
    }
  }
  return {
    failed,
    answer: <T>(what: string, work: () => Promise<T>, isAwaited = true): Promise<T> => {
      const answered = answering(what, work, isAwaited)
      // A case that fails no longer awaits what it began.
      answered.catch(() => undefined)
      return answered
    },
    noteWait: () => {
      if (waits === 0)
        systemTimers.after(0, () => {
          waits = 0
        })
      waits += 1
      if (waits <= waitsPerTurn) return
      const error = new Error(
        `${waits} waits for changes in one turn of the event loop: their caller never rests`,
      )
      fail(error)
      throw error
    },
    stop: () => cancel(),
  }
}

/** A store whose calls are watched. */
function observedStore(store: Store, { answer, noteWait }: ReturnType<typeof watchedCalls>): Store {
  return decorated(store, {
    head: () => answer('head', () => store.head()),
    read: (fn) => answer('read', () => store.read(fn)),
    commit: (batch) => answer('commit', () => store.commit(batch)),
    changes: (since) =>
      answer(
        `changes after ${since.after}${since.background === true ? ' in the background' : ''}`,
        () => {
          if (since.waitMs !== undefined) noteWait()
          return store.changes(since)
        },
        since.background !== true,
      ),
    import: (entries, head) => answer('import', () => store.import(entries, head)),
    close: () => answer('close', () => store.close()),
  })
}

/** What a case opens, observed. */
export function watchedKit(watch: Watch, open: () => Promise<Store>, harness: Harness): Kit {
  const { peer, reopen, retaining } = harness
  const { opened, beneath } = watch
  return {
    ...harness,
    open: () => opened('open', open),
    ...(peer && { peer: (store: Store) => opened('peer', () => peer(beneath(store))) }),
    ...(reopen && { reopen: (store: Store) => opened('reopen', () => reopen(beneath(store))) }),
    ...(retaining && { retaining: (commits: number) => opened('retaining', () => retaining(commits)) }),
  }
}
