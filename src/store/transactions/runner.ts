import type { Answer, Env, Refused, ServiceEvent } from '../../kernel/index.ts'
import type { Collection } from '../port/collection.ts'
import type { Rev } from '../port/port.ts'
import type { Replica } from '../replica/replica.ts'
import { type TransactOptions, transact } from './transact.ts'
import type { Tx } from './transaction.ts'

/** The result of a decision: a value and its events. A step of an engine is one. */
export interface Decision<Value, Event> {
  readonly ok: true
  readonly value: Value
  readonly events: readonly Event[]
}

type Decide<Value, Event, Code extends string, Held> = (
  tx: Tx<Held>,
  env: Env,
) => Decision<Value, Event> | Refused<Code>

/**
 * Loads, decides, commits, and reports the events once they are stored: the only way in which services change their
 * data. `decide` sees one `Env` and may run several times; a refusal drops its writes. It reads only records of `Held`:
 * reading anything else does not compile.
 */
export interface Runner<Event, Held = unknown> {
  readonly commit: <Value, Code extends string = never>(
    decide: Decide<Value, Event, Code, Held>,
    options?: TransactOptions,
  ) => Promise<Answer<Value, Code>>
  /** The same with the revision that the result is based on: the commit's own, or that of the refusal. */
  readonly commitAt: <Value, Code extends string = never>(
    decide: Decide<Value, Event, Code, Held>,
    options?: TransactOptions,
  ) => Promise<{ readonly answer: Answer<Value, Code>; readonly rev: Rev }>
}

/** The records of collections, from the list of those that a replica holds. */
export type RecordsOf<Collections extends readonly unknown[]> = Collections[number] extends infer Each
  ? Each extends Collection<infer Record>
    ? Record
    : never
  : never

/** Creates the runner of a service. */
export function runner<Event extends { readonly type: string }, Held = unknown>({
  view,
  env,
  emit,
}: {
  readonly view: () => Replica | Promise<Replica>
  readonly env: () => Env
  readonly emit: (event: ServiceEvent<Event>) => void
}): Runner<Event, Held> {
  const commitAt: Runner<Event, Held>['commitAt'] = async (decide, options) => {
    const captured = env()
    const { result, rev } = await transact(
      await view(),
      () => captured.newId('commit'),
      (tx) => decide(tx, captured),
      options,
    )
    if (!result.ok) return { answer: result, rev }
    for (const event of result.events) emit({ at: captured.now, ...event })
    return { answer: { ok: true, value: result.value }, rev }
  }
  return { commitAt, commit: async (decide, options) => (await commitAt(decide, options)).answer }
}
