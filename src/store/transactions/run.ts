import { type Outcome, type Step, systemEnv } from '../../kernel/index.ts'
import type { Collection } from '../port/collection.ts'
import { StoreError } from '../port/errors.ts'
import { type Part, partsOf } from '../port/keys.ts'
import type { Rev } from '../port/port.ts'
import type { Replica } from '../replica/replica.ts'
import { type TransactOptions, transact } from './transact.ts'

/**
 * Options of {@link run}.
 */
export interface RunOptions extends TransactOptions {
  /** Generates the commit's identifier; random UUIDs by default. */
  readonly newId?: (() => string) | undefined
}

/**
 * Runs a command on one record: loads it, decides, commits the resulting state, and decides again if another writer was
 * faster. A command on several records uses `transact`.
 *
 * @remarks
 * The command receives `undefined` if there is no record; a state of `undefined` deletes it, and the same state
 * reference writes nothing. Capture `Env` before the call, so that every attempt sees the same instant.
 *
 * @returns the command's own outcome with `rev`: the commit's revision, or the one that the result or refusal is based
 *   on
 * @throws {@link StoreError} of code `invalid` when the new state has another key, and the errors that `transact`
 *   throws
 *
 * @example
 * ```ts
 * import { step } from 'plinth'
 * import { collection, memoryStore, replica, run } from 'plinth/store'
 *
 * const counters = collection<{ id: string; count: number }>({ name: 'counter', key: (counter) => [counter.id] })
 * const view = await replica(memoryStore(), [counters])
 * const outcome = await run(view, counters, ['visits'], (counter = { id: 'visits', count: 0 }) =>
 *   step(counter, (draft) => (draft.count += 1)),
 * )
 * outcome.value // 1
 * outcome.rev // 1
 * ```
 */
export function run<S, V, E>(
  view: Replica,
  into: Collection<S>,
  key: readonly Part[],
  command: (state: S | undefined) => Step<S | undefined, V, E>,
  options?: RunOptions,
): Promise<Step<S | undefined, V, E> & { readonly rev: Rev }>
export function run<S, V, E, C extends string>(
  view: Replica,
  into: Collection<S>,
  key: readonly Part[],
  command: (state: S | undefined) => Outcome<S | undefined, V, E, C>,
  options?: RunOptions,
): Promise<Outcome<S | undefined, V, E, C> & { readonly rev: Rev }>
export async function run<S, V, E, C extends string>(
  view: Replica,
  into: Collection<S>,
  key: readonly Part[],
  command: (state: S | undefined) => Outcome<S | undefined, V, E, C>,
  options: RunOptions = {},
): Promise<Outcome<S | undefined, V, E, C> & { readonly rev: Rev }> {
  const newId = options.newId ?? (() => systemEnv().newId('commit'))
  const { result, rev } = await transact(
    view,
    newId,
    (tx) => {
      const before = tx.get(into, ...key)?.value
      const outcome = command(before)
      if (!outcome.ok || outcome.state === before) return outcome
      if (outcome.state === undefined) tx.delete(into, ...key)
      else tx.put(into, expectKey(into, key, outcome.state))
      return outcome
    },
    options,
  )
  return { rev, ...result }
}

/** The record, if it has the key that was read: otherwise it would replace a record that the command never saw. */
function expectKey<S>(into: Collection<S>, key: readonly Part[], record: S): S {
  const [asked, made] = [into.keyOf(...key), into.keyOf(...into.parts(record))]
  if (made === asked) return record
  const [from, to] = [asked, made].map((each) => partsOf(each).slice(1).join('/'))
  throw new StoreError('invalid', `a command on the ${into.name} ${from} returned another record, ${to}`)
}
