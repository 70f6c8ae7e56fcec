import { checkNumbers } from '../../kernel/check-numbers.ts'
import { systemTimers } from '../../kernel/index.ts'
import { StoreError } from '../port/errors.ts'
import { type Changes, type Entry, isLocal, type Store, type Verdict, type View } from '../port/port.ts'

/** How long a service waits for its store by default. */
const usualMs = 30_000

/** A store whose calls end. */
export interface TimeLimited {
  readonly store: Store
  /** Runs the work of a service that closes, which ends within one limit: all calls fail then. */
  readonly closing: (work: () => Promise<void>) => Promise<void>
}

/** Why a call ended without an answer of the store: the store may still carry it out. */
export class TimeLimit extends Error {
  override readonly name = 'TimeLimit'
}

/**
 * The store of a service, whose calls end: one that makes no progress within the limit fails with a `StoreError`
 * (`unreachable`; `unknown` for a commit), and so does an answer that no store gives (`corrupt`). The time is that of
 * the host: a manual clock can move on while a store works. Stores in this process are left alone.
 */
export function timeLimited(store: Store, limitMs: number = usualMs): TimeLimited {
  checkNumbers({ least: 1, unit: 'milliseconds' }, { storeTimeoutMs: limitMs })
  if (isLocal(store)) return { store, closing: (work) => work() }
  const { within, closing } = limitedCalls(limitMs)

  return {
    store: {
      head: () => within('head', async () => expectRev('head', await store.head())),
      read: (fn) => within('read', (limit) => limitedRead(store, fn, limit)),
      commit: (batch) =>
        within('commit', async () => expectVerdicts(await store.commit(batch), batch.length)),
      changes: (since) =>
        within('changes', async () => expectChanges(await store.changes(since)), {
          extraMs: since.waitMs ?? 0,
          hold: since.background !== true,
        }),
      import: (entries, head) => within('import', ({ moved }) => store.import(noticed(entries, moved), head)),
      close: () => store.close(),
    },
    closing,
  }
}

type LimitedCall = 'commit' | 'read' | 'changes' | 'head' | 'import'

/** The error of a call without an answer. */
function tooLate(what: LimitedCall, limitMs: number): StoreError {
  const cause = new TimeLimit(`no answer to ${what}() within ${limitMs} ms`)
  return what === 'commit'
    ? new StoreError('unknown', `the store did not confirm a commit within ${limitMs} ms`, cause)
    : new StoreError('unreachable', `the store did not answer ${what}() within ${limitMs} ms`, cause)
}

/** Runs calls within a limit; `closing` ends all of them within one. */
function limitedCalls(limitMs: number): {
  readonly within: <Result>(
    what: LimitedCall,
    work: (limit: Limit) => Promise<Result>,
    options?: { readonly extraMs?: number; readonly hold?: boolean },
  ) => Promise<Result>
  readonly closing: TimeLimited['closing']
} {
  const pending = new Set<() => void>()
  let isOver = false
  const { after } = systemTimers

  /** Runs a call within the limit. */
  const within = <Result>(
    what: LimitedCall,
    work: (limit: Limit) => Promise<Result>,
    { extraMs = 0, hold = true }: { readonly extraMs?: number; readonly hold?: boolean } = {},
  ): Promise<Result> =>
    new Promise((resolve, reject) => {
      let cancel = () => {}
      const end = () => {
        cancel()
        pending.delete(fail)
      }
      const fail = () => {
        end()
        reject(tooLate(what, limitMs))
      }
      const pause = () => cancel()
      const moved = () => {
        cancel()
        if (pending.has(fail)) cancel = after(limitMs + extraMs, fail, { hold })
      }
      pending.add(fail)
      if (isOver) return fail()
      moved()
      // A store of a caller may throw where it should reject.
      void (async () => work({ moved, pause }))().then(
        (answer) => {
          end()
          resolve(answer)
        },
        (error: unknown) => {
          end()
          reject(error)
        },
      )
    })

  return {
    within,
    closing: async (work) => {
      const cancel = after(
        limitMs,
        () => {
          isOver = true
          for (const fail of [...pending]) fail()
        },
        { hold: true },
      )
      await work().finally(cancel)
    },
  }
}

/** The time limit of a call: `moved` starts it anew, `pause` stops it while the store waits for its caller. */
interface Limit {
  readonly moved: () => void
  readonly pause: () => void
}

/** Reads with a limit on each step of the store, but not on what its caller does in between. */
async function limitedRead<Result>(
  store: Store,
  fn: (view: View) => Promise<Result>,
  { moved, pause }: Limit,
): Promise<Result> {
  let found: { readonly value: Result } | undefined
  await store.read(async (view) => {
    const step = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
      moved()
      try {
        return await answer
      } finally {
        pause()
      }
    }
    const limited: View = {
      rev: expectRev('read', view.rev),
      get: async (keys) => expectFound(await step(view.get(keys)), keys.length),
      scan: async (range) => expectEntries('scan', await step(view.scan(range))),
    }
    pause()
    try {
      found = { value: await fn(limited) }
    } finally {
      moved()
    }
  })
  return found === undefined ? wrong('read', 'nothing read') : found.value
}

async function* noticed(entries: AsyncIterable<Entry>, moved: () => void): AsyncIterable<Entry> {
  for await (const entry of entries) {
    moved()
    yield entry
  }
  moved()
}

const wrong = (call: string, what: string): never => {
  throw new StoreError(
    'corrupt',
    `the store answered ${call}() with ${what}: is it an adapter that passes storeConformance?`,
  )
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`

function expectRev(call: string, rev: number): number {
  return Number.isSafeInteger(rev) && rev >= 0
    ? rev
    : wrong(call, typeof rev === 'number' ? `the revision ${rev}` : `${kindOf(rev)} as the revision`)
}

const isEntry = (entry: Entry | undefined): entry is Entry =>
  typeof entry?.key === 'string' && entry.value !== undefined && Number.isSafeInteger(entry.modified)

function expectEntries(call: string, entries: Entry[]): Entry[] {
  if (!Array.isArray(entries)) return wrong(call, kindOf(entries))
  for (const entry of entries) if (!isEntry(entry)) return wrong(call, `${kindOf(entry)} as an entry`)
  return entries
}

function expectFound(found: (Entry | undefined)[], count: number): (Entry | undefined)[] {
  if (!Array.isArray(found)) return wrong('get', kindOf(found))
  if (found.length !== count) return wrong('get', `${found.length} entries for ${count} keys`)
  for (const entry of found)
    if (entry !== undefined && !isEntry(entry)) return wrong('get', `${kindOf(entry)} as an entry`)
  return found
}

function expectVerdicts(verdicts: readonly Verdict[], count: number): readonly Verdict[] {
  if (!Array.isArray(verdicts)) return wrong('commit', kindOf(verdicts))
  if (verdicts.length !== count) return wrong('commit', `${verdicts.length} verdicts for ${count} commits`)
  for (const verdict of verdicts) {
    if (typeof verdict?.ok !== 'boolean') return wrong('commit', `${kindOf(verdict)} as a verdict`)
    expectRev('commit', verdict.rev)
  }
  return verdicts
}

function expectChanges(changes: Changes): Changes {
  if (typeof changes !== 'object' || changes === null) return wrong('changes', kindOf(changes))
  expectRev('changes', changes.rev)
  expectEntries('changes', changes.put as Entry[])
  if (!Array.isArray(changes.gone)) return wrong('changes', `${kindOf(changes.gone)} as what is gone`)
  return changes
}
