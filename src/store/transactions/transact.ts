import { TimeLimit } from '../decorators/time-limited.ts'
import { endOfTurn } from '../port/end-of-turn.ts'
import { isStoreError, StoreError, unlessClosed } from '../port/errors.ts'
import type { Commit, Entry, Rev, Store } from '../port/port.ts'
import type { Replica } from '../replica/replica.ts'
import { Transaction, type Tx } from './transaction.ts'

/**
 * Options of {@link transact}.
 */
export interface TransactOptions {
  /** Keys outside the replica that the decision reads or replaces: read from the store before each attempt. */
  readonly load?: readonly string[] | undefined
}

/** The maximum number of attempts under contention. */
const attempts = 16

/**
 * Decides and commits: all of the decision's writes or none, and only if nothing it read has changed.
 *
 * @remarks
 * The decision first runs on `stale()`. If the commit conflicts, or the decision writes nothing, throws, or returns a
 * value whose `ok` is false (a refusal: its writes are dropped), it runs again on `fresh()`, so that a lagging replica
 * never refuses. `decide` is synchronous and may run several times.
 *
 * @param newId - generates the commit's identifier; every call must return a new one
 * @returns the result of `decide`, and the revision it is based on: the commit's own, or that of the snapshot
 * @throws {@link StoreError} of code `contended` after 16 attempts; `unknown` when the store cannot determine the
 * outcome of the commit; `unique` when a record claims a value that another one holds
 * @throws TypeError when the decision returns a promise
 *
 * @example
 * ```ts
 * import { collection, memoryStore, replica, transact } from 'plinth/store'
 *
 * const stock = collection<{ id: string; left: number }>({ name: 'stock', key: (item) => [item.id] })
 * const view = await replica(memoryStore(), [stock])
 * let commits = 0
 * const newId = () => `commit-${++commits}`
 * await transact(view, newId, (tx) => tx.put(stock, { id: 'bolt', left: 5 }))
 * await transact(view, newId, (tx) => {
 *   const left = tx.get(stock, 'bolt')?.value.left ?? 0
 *   if (left > 0) tx.put(stock, { id: 'bolt', left: left - 1 })
 *   return left > 0
 * }) // { result: true, rev: 2 }
 * ```
 */
export async function transact<R>(
  view: Replica,
  newId: () => string,
  decide: (tx: Tx) => R,
  options: TransactOptions = {},
): Promise<{ readonly result: R; readonly rev: Rev }> {
  let now = unlessClosed(() => view.stale()) ?? (await view.fresh())
  let isFresh = false
  let turn: Turn | undefined
  let committed: Rev = 0
  const fetched = new Map<string, Entry>()
  try {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const loaded = options.load === undefined ? nothing : await load(view.store, options.load)
      let tx = new Transaction(view, now, loaded, fetched)
      let made = makeDecision(tx, decide)
      // Missing values are read, and the decision runs again: each round has more of them.
      while (tx.missing.size > 0 && (await fetchInto(fetched, tx, view))) {
        await endOfTurn(view.store)
        tx = new Transaction(view, now, loaded, fetched)
        made = makeDecision(tx, decide)
      }
      if (tx.missing.size > 0) {
        now = await view.fresh()
        isFresh = true
        await endOfTurn(view.store)
        continue
      }
      const commit = 'error' in made || isRefusal(made.result) ? undefined : tx.commit(newId)
      if (commit !== undefined && 'result' in made) {
        const verdict = await submit(view.store, commit)
        if (verdict.ok) {
          committed = verdict.rev
          return { result: made.result, rev: verdict.rev }
        }
        turn ??= await takeTurn(view)
        await endOfTurn(view.store)
        now = await view.fresh(Math.max(verdict.rev, turn.after))
      } else {
        const latest = isFresh ? now : await view.fresh()
        if (isFresh || latest.rev === now.rev) {
          if ('error' in made) throw made.error
          return { result: made.result, rev: now.rev }
        }
        now = latest
      }
      isFresh = true
    }
    throw new StoreError('contended', `concurrent writers won ${attempts} times in a row: try again later`)
  } finally {
    turn?.end(committed)
  }
}

/** The queue of retries, by replica: the last in line, and the newest revision that those in it committed. */
const lines = new WeakMap<Replica, Promise<Rev>>()

interface Turn {
  /** The newest revision that those ahead in the line committed. */
  readonly after: Rev
  end(committed: Rev): void
}

/**
 * A transaction that lost a commit to another writer waits for the others of this process that did: one at a time can
 * lose only to writers elsewhere and to newcomers, while all of them together would mostly conflict with one another.
 */
async function takeTurn(view: Replica): Promise<Turn> {
  const ahead = lines.get(view)
  let pass: (committed: Rev) => void = () => {}
  const mine = new Promise<Rev>((resolve) => {
    pass = resolve
  })
  lines.set(view, mine)
  const after = (await ahead) ?? 0
  return { after, end: (committed) => pass(Math.max(after, committed)) }
}

function makeDecision<R>(
  tx: Transaction,
  decide: (tx: Tx) => R,
): { readonly result: R } | { readonly error: unknown } {
  try {
    const result = decide(tx)
    // It would continue writing, unnoticed, after its transaction is committed.
    if (result instanceof Promise)
      throw new TypeError(
        'a decision must be synchronous, but this one returned a promise: await its inputs before',
      )
    return { result }
  } catch (error) {
    return { error }
  }
}

/** Reads the missing values of a decision; false when one of them has another revision than the decision saw. */
async function fetchInto(fetched: Map<string, Entry>, tx: Transaction, view: Replica): Promise<boolean> {
  const found = new Map((await view.load([...tx.missing])).map((entry) => [entry?.key, entry]))
  let matches = true
  for (const key of tx.missing) {
    const entry = found.get(key)
    if (entry === undefined) matches = false
    else {
      fetched.set(key, entry)
      matches &&= entry.modified === tx.now.get(key)?.modified
    }
  }
  return matches
}

const isRefusal = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'ok' in result && result.ok === false

const nothing: ReadonlyMap<string, Entry | undefined> = new Map()

async function load(store: Store, keys: readonly string[]): Promise<ReadonlyMap<string, Entry | undefined>> {
  if (keys.length === 0) return nothing
  const entries = await store.read((view) => view.get(keys))
  return new Map(keys.map((key, at) => [key, entries[at]]))
}

/**
 * Submits one commit, and repeats it under the same id while its outcome is unknown.
 *
 * @throws {@link StoreError} of code `unknown` after five attempts
 *
 * @example
 * ```ts
 * import { memoryStore, submit } from 'plinth/store'
 *
 * const store = memoryStore()
 * const write = { id: 'order-7', put: [{ key: 'order', value: 7 }] }
 * await submit(store, write) // { ok: true, rev: 1 }
 * await submit(store, write) // { ok: true, rev: 1 }
 * ```
 */
export async function submit(
  store: Store,
  commit: Commit,
): Promise<Awaited<ReturnType<Store['commit']>>[number]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const [verdict] = await store.commit([attempt === 1 ? commit : { ...commit, again: true }])
      if (verdict === undefined) throw new StoreError('corrupt', 'the store returned no verdict for a commit')
      return verdict
    } catch (error) {
      if (!isStoreError(error, 'unknown') || error.cause instanceof TimeLimit || attempt === 5) throw error
    }
    await endOfTurn(store)
  }
}
