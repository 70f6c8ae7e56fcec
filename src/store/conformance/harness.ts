import { isObject } from '../../kernel/objects.ts'
import { systemEnv } from '../../kernel/system-env.ts'
import { isStoreError, type StoreErrorCode } from '../port/errors.ts'
import type { Commit, Json, Store, Verdict } from '../port/port.ts'

/**
 * The requirements of the conformance suite: a test runner and the adapter.
 */
export interface Harness {
  /** Registers a test: `test` of vitest, `node:test`, jest, … */
  test(name: string, fn: () => Promise<void>): unknown
  /** A second handle on the same realm, as another process would open it; the same handle by default. */
  peer?(store: Store): Promise<Store>
  /**
   * Closes a handle and opens the same realm again, as the next process would; cases that need it are skipped
   * otherwise.
   */
  reopen?(store: Store): Promise<Store>
  /** Opens an empty realm that remembers about this many commits; cases that need it are skipped otherwise. */
  retaining?(commits: number): Promise<Store>
  /**
   * How many other realms stay open, and are written to, while a case runs: for adapters that keep several realms in
   * one file or database. 0 by default.
   */
  readonly neighbours?: number | undefined
  /** How many random sequences are compared with a plain model; 20 by default. */
  readonly sequences?: number | undefined
  /** How many rounds each race runs; 40 by default. */
  readonly rounds?: number | undefined
}

/**
 * The requirements of the multi-process suites: {@link crashConformance} always, {@link historyConformance} for its
 * processes.
 */
export interface ProcessHarness extends Harness {
  /** The file that child processes import: a path or a `file:` URL. */
  readonly module?: string | undefined
  /** The function of that module that opens a realm by its name, as the suite's `open` does; `open` by default. */
  readonly export?: string | undefined
  /** Flags of Node for the children, such as `--import` of a loader. */
  readonly nodeFlags?: readonly string[] | undefined
}

/** What a case may open besides its realm. */
export interface Kit extends Harness {
  /** Opens another empty realm. */
  open(): Promise<Store>
}

/** One case of the suite: a sentence and its test on an empty realm. */
export type Case = readonly [
  sentence: string,
  run: (store: Store, peer: Store, harness: Kit) => Promise<void>,
]

/** One case of the multi-process suites, which opens realms by name. */
export type ProcessCase = readonly [
  sentence: string,
  run: (open: (realm: string) => Promise<Store>, harness: ProcessHarness) => Promise<void>,
]

/** The name of a realm that no other case or run has. */
export const newRealm = (of: string): string => `${of}-${systemEnv().newId('realm').slice(0, 18)}`

/** Fails unless two JSON values are equal, regardless of the order of object members. */
export function same(actual: unknown, wanted: unknown, what: string): void {
  const [left, right] = [canonical(actual), canonical(wanted)]
  if (left !== right) throw new Error(`${what}: got ${clipped(left)}, wanted ${clipped(right)}`)
}

export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(what)
}

/** Fails unless a StoreError with one of these codes is thrown. */
export async function refuses(
  work: () => Promise<unknown>,
  what: string,
  ...codes: StoreErrorCode[]
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (isStoreError(error, ...codes)) return
    throw new Error(`${what}: threw ${String(error)}, wanted a StoreError of ${codes.join(' or ')}`, {
      cause: error,
    })
  }
  throw new Error(`${what}: was accepted, wanted a StoreError of ${codes.join(' or ')}`)
}

export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)) : inner,
  ) ?? 'undefined'

const clipped = (text: string): string => (text.length > 600 ? `${text.slice(0, 600)}…` : text)

let ids = 0
/** An id that no other commit of the suite has. */
export const newId = (): string => {
  ids += 1
  return `conformance-${ids}`
}

/** The maximum number of keys that one commit may write. */
export const key64 = Array.from({ length: 64 }, (_, at) => `k\u0001${String(at).padStart(2, '0')}`)

export const put = (key: string, value: Json = { at: key }): Commit => ({
  id: newId(),
  put: [{ key, value }],
})

/** Submits one commit. */
export async function submitOne(
  store: Store,
  commit: Omit<Commit, 'id'> & { id?: string },
): Promise<Verdict> {
  const [verdict] = await store.commit([{ id: newId(), ...commit }])
  if (verdict === undefined) throw new Error('no verdict for a commit')
  return verdict
}

export const entry = async (store: Store, key: string) => (await store.read((view) => view.get([key])))[0]

export const keysIn = (
  store: Store,
  range: { prefix: string; from?: string; after?: string; limit?: number; reverse?: boolean },
) => store.read(async (view) => (await view.scan(range)).map(({ key }) => key))
