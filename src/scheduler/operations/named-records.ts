import type { Filter } from '../../filter/index.ts'
import { type Env, type Outcome, type Refused, refuse } from '../../kernel/index.ts'
import type { Collection, Snapshot } from '../../store/index.ts'
import type { Access } from '../acl/access.ts'
import type { ListCall, ReadCall } from '../service/call.ts'
import { type Cluster, indexOf } from '../service/cluster.ts'
import type { SchedulerEvent } from '../service/events.ts'
import { answerList, beginning } from '../service/read/list.ts'
import { answerRead } from '../service/read/read.ts'
import { asTheyAre } from '../service/read/stubs.ts'

interface Named {
  readonly Name: string
}

/** A kind of record that is identified by name: node pools and namespaces, of which there are few. */
export interface NamedRecords<Spec extends Named, Row extends Named> {
  /** The name of the records, for queries that callers share. */
  readonly kind: string
  readonly records: Collection<Spec>
  /** All of them in the order of their names, built-in ones included. */
  readonly all: (cluster: Cluster, now: Snapshot) => readonly Row[]
  readonly one: (now: Snapshot, name: string) => Row | undefined
  readonly withIndexes: (spec: Spec, created: number, modified: number) => Row
  readonly mayRead: (access: Access, name: string) => boolean
}

/** Lists those that the caller may read. */
export function listNamed<Spec extends Named, Row extends Named>(
  cluster: Cluster,
  { kind, records, all, mayRead }: NamedRecords<Spec, Row>,
  call: ListCall,
  {
    now,
    access,
    filter,
  }: { readonly now: Snapshot; readonly access: Access; readonly filter: Filter<Row> | undefined },
) {
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
    filter,
    show: asTheyAre,
  })
}

/** Reads one that the caller may read. */
export function readNamed<
  Spec extends Named,
  Row extends Named & { readonly ModifyIndex: number },
  Code extends string,
>(
  cluster: Cluster,
  { kind, records, one }: NamedRecords<Spec, Row>,
  call: ReadCall,
  {
    now,
    name,
    missing,
  }: { readonly now: Snapshot; readonly name: string; readonly missing: readonly [Code, string] },
) {
  const key = records.keyOf(name)
  const mark = records.markOf()
  return answerRead<Row, Code>(cluster, call, now, [kind, 'one', name], (at) => {
    const value = one(at, name)
    if (value !== undefined) return { value, index: value.ModifyIndex, keys: [key] }
    const index = indexOf(at, [mark])
    return { ...refuse(...missing, { index }), index, keys: [mark] }
  })
}

/** Creates or replaces one, as its command decides. */
export async function upsertNamed<Spec extends Named, Row extends Named, Code extends string>(
  cluster: Cluster,
  { records, withIndexes }: NamedRecords<Spec, Row>,
  spec: Spec,
  upsert: (
    before: Spec | undefined,
    spec: Spec,
    env: Env,
  ) => Outcome<Spec | undefined, string, SchedulerEvent, Code>,
): Promise<{ readonly ok: true; readonly value: Row; readonly index: number } | Refused<Code>> {
  // Names that could not even be looked up are refused before anything is.
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
}
