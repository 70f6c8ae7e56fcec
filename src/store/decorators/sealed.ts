import { checkOptions } from '../../kernel/check-options.ts'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { checkCommit, checkImported } from '../port/check.ts'
import type { Commit, Json, Store, View } from '../port/port.ts'
import {
  type Keyring,
  type SealedOptions,
  type SealedValues,
  sealedOptions,
  sealedValues,
} from './sealed-values.ts'

/**
 * The encryption barrier: values are encrypted before they reach the store and decrypted when they are read.
 *
 * @remarks
 * Keys and marks stay readable, so a secret part of a key (a token, a lease) must be stored as a keyed digest. Each
 * value is bound to its realm and key: a sealed value cannot be moved. The snapshot of a local store is hidden, since
 * it holds sealed values; use a `replica`, and `drop()` it on sealing. A value may have 29 MiB of JSON text.
 *
 * @throws {@link StoreError} of code `corrupt` from reads when a value cannot be opened
 */
export function sealed(store: Store, keyring: Keyring, options: SealedOptions = {}): Store {
  checkOptions('sealed', options, sealedOptions)
  const { values, opening } = withRecent(sealedValues(keyring, options))
  return sealedOver(store, values, opening)
}

/** How many values, and up to which length, are cached in plain text after they were sealed. */
const recentCount = 256
const recentLength = 16 * 1024

/**
 * Caches recent plaintexts of this process, so that its own writes need not be decrypted when they come back. One value
 * of each answer is decrypted anyway: a ring that can no longer decrypt must not serve cached values.
 */
function withRecent(values: SealedValues): { readonly values: SealedValues; readonly opening: Opening } {
  const recent = new Map<string, { readonly closed: Json; readonly value: Json }>()
  const remember = (key: string, closed: Json, value: Json): void => {
    if (typeof closed !== 'string' || closed.length > recentLength) return
    recent.set(key, { closed, value })
    if (recent.size <= recentCount) return
    for (const oldest of recent.keys()) {
      recent.delete(oldest)
      break
    }
  }
  const close: SealedValues['close'] = (key, value) => {
    const closed = values.close(key, value)
    if (closed !== value) remember(key, closed, value)
    return closed
  }
  const opening: Opening = () => {
    let isRingOpen = false
    return (entry) => {
      const known = isRingOpen ? recent.get(entry.key) : undefined
      if (known !== undefined && known.closed === entry.value) return { ...entry, value: known.value }
      try {
        const clear = values.open(entry)
        isRingOpen ||= clear !== entry
        return clear
      } catch (error) {
        recent.clear()
        throw error
      }
    }
  }
  return { values: { ...values, close }, opening }
}

/** Decrypts the entries of one answer. */
type Opening = () => SealedValues['open']

/** The values of larger commits are sealed in a turn of the event loop each. */
const largeBytes = 4 * 1024 * 1024

/** The commits with sealed values. */
async function closeBatch(batch: readonly Commit[], { close }: SealedValues): Promise<readonly Commit[]> {
  const isLarge = batch.map((commit) => checkCommit(commit) > largeBytes)
  const closed: Commit[] = []
  for (const [at, commit] of batch.entries()) {
    const put: Puts = []
    for (const { key, value } of commit.put ?? []) {
      if (isLarge[at]) await nextMacrotask()
      put.push({ key, value: close(key, value) })
    }
    closed.push(commit.put === undefined ? commit : { ...commit, put })
  }
  return closed
}

type Puts = { readonly key: string; readonly value: Json }[]

/** The port over another store, whose values are sealed on writes and opened on reads. */
export function sealedOver(store: Store, values: SealedValues, opening: Opening = () => values.open): Store {
  const openView = (view: View): View => ({
    rev: view.rev,
    get: async (keys) => {
      const found = await view.get(keys)
      const open = opening()
      return found.map((entry) => entry && open(entry))
    },
    scan: async (range) => {
      const found = await view.scan(range)
      return range.keysOnly === true ? found : found.map(opening())
    },
  })
  return {
    head: () => store.head(),
    read: (fn) => store.read((view) => fn(openView(view))),
    commit: async (batch) => store.commit(await closeBatch(batch, values)),
    changes: async (since) => {
      const changes = await store.changes(since)
      return { ...changes, put: changes.put.map(opening()) }
    },
    import: (entries, head) =>
      store.import(
        (async function* () {
          for await (const entry of entries) {
            checkImported(entry, head)
            yield { ...entry, value: values.close(entry.key, entry.value) }
          }
        })(),
        head,
      ),
    close: () => store.close(),
  }
}
