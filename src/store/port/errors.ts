import { brand, brandOf, isBranded } from '../../kernel/brand.ts'

/**
 * The kind of a store error, as a stable word to switch on.
 *
 * - `invalid`: a key, value, range or commit that no adapter accepts (a caller's bug)
 * - `unique`: a record claims a unique value that another one holds (a caller's bug: look first)
 * - `not_held`: a replica was asked for a key outside its prefixes (a caller's bug)
 * - `contended`: other writers won sixteen times in a row; try later
 * - `unknown`: the outcome of a commit could not be determined; submit the same id with `again`
 * - `compacted`: the requested changes are no longer remembered; read the whole state again
 * - `not_empty`: an import into a realm that has data
 * - `closed`: the store was closed, or a replica dropped its data
 * - `replaced`: the file was moved, removed or replaced while it was open; nothing more is stored until a restart
 * - `locked`, `wrong_schema`, `foreign`, `corrupt`, `unreachable`, `denied`, `disk_full`, `unsuitable`: the database
 */
export type StoreErrorCode =
  | 'invalid'
  | 'unique'
  | 'not_held'
  | 'contended'
  | 'unknown'
  | 'compacted'
  | 'not_empty'
  | 'closed'
  | 'replaced'
  | 'locked'
  | 'wrong_schema'
  | 'foreign'
  | 'corrupt'
  | 'unreachable'
  | 'denied'
  | 'disk_full'
  | 'unsuitable'

const mark = /* @__PURE__ */ brandOf('StoreError')

/**
 * The only exception that stores throw. Its message says what was wrong, where, and what to do; it never contains a
 * value.
 *
 * @example
 * ```ts
 * import { collection, memoryStore, replica, run, StoreError } from 'plinth/store'
 *
 * const store = memoryStore()
 * const jobs = collection<{ id: string }>({ name: 'job', key: ({ id }) => [id] })
 * const view = await replica(store, [jobs])
 * await store.close()
 * const error = await run(view, jobs, ['web'], () => ({ ok: true, state: { id: 'web' }, value: 1, events: [] })).catch((e) => e)
 * error instanceof StoreError && error.code // 'closed'
 * ```
 */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** The kind of error, to switch on. */
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    brand(StoreError.prototype, mark)
    this.code = code
  }

  /** Also true for errors of another copy of the package in this process. */
  static override [Symbol.hasInstance](value: unknown): value is StoreError {
    // biome-ignore lint/complexity/noThisInStatic: a subclass asks for itself
    return isBranded(this, StoreError, mark, value)
  }

  /** The error as data, without its cause: the output of `JSON.stringify`. */
  toJSON(): { readonly name: string; readonly code: StoreErrorCode; readonly message: string } {
    return { name: this.name, code: this.code, message: this.message }
  }
}

/**
 * Whether an error is a {@link StoreError}, with one of these codes if any are given.
 *
 * @example
 * ```ts
 * import { isStoreError, memoryStore } from 'plinth/store'
 *
 * const store = memoryStore()
 * await store.close()
 * const error = await store.head().catch((thrown: unknown) => thrown)
 * isStoreError(error) // true
 * isStoreError(error, 'closed') // true
 * isStoreError(error, 'unreachable', 'unknown') // false
 * ```
 */
export const isStoreError = (error: unknown, ...codes: readonly StoreErrorCode[]): error is StoreError =>
  error instanceof StoreError && (codes.length === 0 || codes.includes(error.code))

/** The current snapshot of a store or a replica; `undefined` once it was closed, or while it is empty. */
export function unlessClosed<Shown>(look: () => Shown): Shown | undefined {
  try {
    return look()
  } catch (error) {
    if (!isStoreError(error, 'closed')) throw error
    return undefined
  }
}
