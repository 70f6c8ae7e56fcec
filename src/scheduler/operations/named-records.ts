import { type Env, type Outcome, type Refused, refuse } from '../../kernel/index.ts'
import type { Collection, Snapshot, Tx } from '../../store/index.ts'
import type { Access } from '../acl/access.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { ListCall, ReadCall, WriteCall } from '../service/call.ts'
import { type Cluster, indexOf } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import type { SchedulerEvent } from '../service/events.ts'
import type { filtersFor } from '../service/read/filter.ts'
import { answerList, beginning } from '../service/read/list.ts'
import { answerRead } from '../service/read/read.ts'
import { asTheyAre } from '../service/read/stubs.ts'

interface Named {
  readonly Name: string
}

/** A kind of record that is identified by name: node pools and namespaces, of which there are few. */
export interface NamedRecords<
  Spec extends Named,
  Row extends Named,
  Missing extends string,
  Invalid extends string,
> {
  /** The name of the records, for queries that callers share. */
  readonly kind: string
  readonly records: Collection<Spec>
  readonly filters: ReturnType<typeof filtersFor<Row>>
  /** All of them in the order of their names, built-in ones included. */
  readonly all: (cluster: Cluster, now: Snapshot) => readonly Row[]
  readonly one: (now: Snapshot, name: string) => Row | undefined
  readonly withIndexes: (spec: Spec, created: number, modified: number) => NoInfer<Row>
  readonly mayRead: (access: Access, name: string) => boolean
  readonly mayWrite: (access: Access, name: string) => boolean
  /** The refusal for an unknown name. */
  readonly missing: readonly [code: Missing, message: string]
  readonly upsert: (
    before: Spec | undefined,
    spec: Spec,
    env: Env,
  ) => Outcome<Spec | undefined, string, SchedulerEvent, Invalid>
}

/** Methods of one kind of record. */
export const namedMethods = <
  Spec extends Named,
  Row extends Named & { readonly ModifyIndex: number },
  Missing extends string,
  Invalid extends string,
>({
  kind,
  records,
  filters,
  all,
  one,
  withIndexes,
  mayRead,
  mayWrite,
  missing,
  upsert,
}: NamedRecords<Spec, Row, Missing, Invalid>) => ({
  /** Lists those that the caller may read. */
  list: (cluster: Cluster, call: ListCall) =>
    enter(cluster, call, ({ now, access }) => {
      const filter = filters(call.filter)
      if (!filter.ok) return filter
      const { prefix = '' } = call
      return answerList<Row, Row>(cluster, call, now, {
        question: [kind, access.id],
        marks: [records.markOf()],
        within: beginning([], prefix),
        rows: (at, { reverse }) => {
          const rows = all(cluster, at).filter(({ Name }) => Name.startsWith(prefix))
          return [reverse ? rows.toReversed() : rows]
        },
        shape: ['text'],
        keyOf: ({ Name }) => [Name],
        visible: access.management ? undefined : ({ Name }) => mayRead(access, Name),
        filter: filter.value,
        show: asTheyAre,
      })
    }),

  /** Reads one that the caller may read. */
  read: (cluster: Cluster, name: string, call: ReadCall) =>
    enter(cluster, call, ({ now, access }) => {
      if (!mayRead(access, name)) return permissionDenied()
      const key = records.keyOf(name)
      const mark = records.markOf()
      return answerRead<Row, Missing>(cluster, call, now, [kind, 'one', name], (at) => {
        const value = one(at, name)
        if (value !== undefined) return { value, index: value.ModifyIndex, keys: [key] }
        const index = indexOf(at, [mark])
        return { ...refuse(...missing, { index }), index, keys: [mark] }
      })
    }),

  /** Creates or replaces one, as its command decides. */
  upsert: (cluster: Cluster, spec: Spec, call: WriteCall) =>
    enter(cluster, call, async ({ access }): Promise<Changed<Row, Invalid | 'permission_denied'>> => {
      if (!mayWrite(access, spec.Name)) return permissionDenied()
      // An invalid name is refused before any look-up.
      const checked = upsert(undefined, spec, cluster.env())
      if (!checked.ok) return checked
      const { answer, rev } = await cluster.commitAt((tx, env) => {
        const before = tx.get(records, spec.Name)
        const outcome = upsert(before?.value, spec, env)
        if (outcome.ok && outcome.state) tx.put(records, outcome.state)
        return outcome.ok ? { ...outcome, value: before?.created } : outcome
      })
      if (!answer.ok) return answer
      return { ok: true, value: withIndexes(spec, answer.value ?? rev, rev), index: rev }
    }),

  /** Deletes one, as its command decides; requires management. */
  delete: <Code extends string>(
    cluster: Cluster,
    name: string,
    call: WriteCall,
    remove: (
      before: Spec | undefined,
      tx: Tx,
      env: Env,
    ) => Outcome<Spec | undefined, string, SchedulerEvent, Code>,
  ) =>
    enter(cluster, call, async ({ access }): Promise<Changed<null, Code | 'permission_denied'>> => {
      if (!access.management) return permissionDenied()
      const { answer, rev } = await cluster.commitAt((tx, env) => {
        const outcome = remove(tx.get(records, name)?.value, tx, env)
        if (outcome.ok) tx.delete(records, name)
        return outcome
      })
      return answer.ok ? { ok: true, value: null, index: rev } : answer
    }),
})

type Changed<Value, Code extends string> =
  | { readonly ok: true; readonly value: Value; readonly index: number }
  | Refused<Code>
