import { belowAny, checkCommit, checkValues } from '../port/check.ts'
import { unlessClosed } from '../port/errors.ts'
import type { Commit, Entry, Json, LocalStore, Snapshot } from '../port/port.ts'
import { sealedOver } from './sealed.ts'
import { type Keyring, type SealedValues, sealedValues } from './sealed-values.ts'

/**
 * The barrier over an in-process store. Its snapshots are decrypted: replicated values are cached as long as the sealed
 * entry exists, so that there is no second copy of the realm to maintain. The puts of one commit are sealed as one
 * text, shared by their keys: that costs half as much as sealing each, and no extra space.
 *
 * @param held - the prefixes of cached entries; others are opened at every read
 */
export function sealedLocal(store: LocalStore, keyring: Keyring, held: readonly string[]): LocalStore {
  const values = sealedValues(keyring, {})
  const isHeld = belowAny(held)
  const opened = new WeakMap<Entry, Entry>()
  const open = (entry: Entry): Entry => {
    const known = opened.get(entry)
    if (known !== undefined) return known
    const clear = values.open(entry)
    if (clear !== entry && isHeld(entry.key)) opened.set(entry, clear)
    return clear
  }
  /** Values just written are cached already. */
  const remember = (now: Snapshot, asked: Puts, closed: Puts): void => {
    for (let at = 0; at < asked.length; at += 1) {
      const clear = asked[at]
      if (clear === undefined || !isHeld(clear.key)) continue
      const entry = now.get(clear.key)
      if (entry !== undefined && entry.value === closed[at]?.value && entry.value !== clear.value)
        opened.set(entry, { ...entry, value: clear.value })
    }
  }
  let last: { readonly now: Snapshot; readonly clear: Snapshot } | undefined
  return {
    ...sealedOver(store, { ...values, open }),
    commit: async (batch) => {
      const closed = batch.map((commit) => closedCommit(values, commit))
      const verdicts = await store.commit(closed)
      // Once the store was closed, there is no snapshot to cache values for.
      const after = unlessClosed(() => store.snapshot())
      if (after === undefined) return verdicts
      for (let at = 0; at < closed.length; at += 1)
        if (verdicts[at]?.ok === true) remember(after, batch[at]?.put ?? [], closed[at]?.put ?? [])
      return verdicts
    },
    snapshot: () => {
      const now = store.snapshot()
      if (last?.now !== now) last = { now, clear: clearSnapshot(now, open) }
      return last.clear
    },
    onCommit: (fn) => store.onCommit(fn),
  }
}

type Puts = NonNullable<Commit['put']>

/** A commit with the values of its puts sealed together. */
function closedCommit(values: SealedValues, commit: Commit): Commit {
  if (commit.put === undefined) return commit
  // The store below checks everything but the values, which it sees sealed.
  if (commit.put.some(({ value }) => value === null)) checkCommit(commit)
  checkValues(commit.put)
  return { ...commit, put: values.closeTogether(commit.put) }
}

/** A snapshot whose entries are opened when they are read. */
function clearSnapshot(now: Snapshot, open: (entry: Entry) => Entry): Snapshot {
  const clear: Snapshot = {
    rev: now.rev,
    get: (key) => {
      const entry = now.get(key)
      return entry && open(entry)
    },
    scan: (range) => (range.keysOnly === true ? now.scan(range) : now.scan(range).map(open)),
    chunks: (prefix, from) => clearChunks(clear, prefix, from),
  }
  return clear
}

/** The number of entries that are opened per slice. */
const chunk = 256

function* clearChunks(clear: Snapshot, prefix: string, from: string | undefined): Iterable<readonly Json[]> {
  let run = clear.scan({ prefix, from, limit: chunk })
  while (run.length > 0) {
    yield run.map(({ value }) => value)
    if (run.length < chunk) return
    run = clear.scan({ prefix, after: run.at(-1)?.key, limit: chunk })
  }
}
