import type { Answer, Env, Refused, ServiceEvent } from '../../kernel/index.ts'
import type { Collection } from '../port/collection.ts'
import type { Rev } from '../port/port.ts'
import { claimRealm, firstClaim, type RealmOwner, type ServiceName } from '../realm/realm-owner.ts'
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
  /** Whose the realm is; written if it belongs to no service yet. */
  readonly owner: () => Promise<RealmOwner>
}

/** The records of collections, from the list of those that a replica holds. */
export type RecordsOf<Collections extends readonly unknown[]> = Collections[number] extends infer Each
  ? Each extends Collection<infer Record>
    ? Record
    : never
  : never

/** Creates the runner of a service; the first change of a realm says whose it is. */
export function runner<Event extends { readonly type: string }, Held = unknown>({
  service,
  view,
  env,
  emit,
}: {
  readonly service: ServiceName
  readonly view: () => Replica | Promise<Replica>
  readonly env: () => Env
  readonly emit: (event: ServiceEvent<Event>) => void
}): Runner<Event, Held> {
  const claim = firstClaim(service)
  const commitAt: Runner<Event, Held>['commitAt'] = async (decide, options) => {
    const captured = env()
    const { result, rev } = await transact(
      await view(),
      () => captured.newId('commit'),
      (tx) => {
        const made = decide(tx, captured)
        if (made.ok) claim(tx, captured)
        return made
      },
      options,
    )
    if (!result.ok) return { answer: result, rev }
    for (const event of result.events) emit({ at: captured.now, ...event })
    return { answer: { ok: true, value: result.value }, rev }
  }
  const commit: Runner<Event, Held>['commit'] = async (decide, options) =>
    (await commitAt(decide, options)).answer
  const owner = async () => {
    const { result } = await transact(
      await view(),
      () => env().newId('commit'),
      (tx) => claimRealm(service, tx, env()),
    )
    return result
  }
  return { commitAt, commit, owner }
}
