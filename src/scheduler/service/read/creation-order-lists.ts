import { type Filter, type Hint, hints } from '../../../filter/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import type { Collection, Snapshot, Table } from '../../../store/index.ts'
import type { NamespaceCapability } from '../../acl/capabilities.ts'
import type { Tables } from '../../records/tables.ts'
import { permissionDenied, seenBy } from '../authenticate.ts'
import type { Found, ListCall, ReadCall } from '../call.ts'
import { type Cluster, indexOf } from '../cluster.ts'
import { type Entered, enter } from '../enter.ts'
import { answerList, beginning, type Listed, type ListRefusal } from './list.ts'
import { answerRead, withoutWaiting } from './read.ts'
import type { Show } from './stubs.ts'
import { both, everyNamespace, visibleNamespaces } from './visibility.ts'

/** The common fields of deployments, allocations and evaluations. */
interface CreatedRow {
  readonly ID: string
  readonly Namespace: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** How one of these kinds is listed and read. */
export interface CreatedKind<Row extends CreatedRow, Record extends object, Code extends string> {
  readonly table: (tables: Tables) => Table<Row>
  readonly records: Collection<Record>
  readonly filters: (
    text: string | undefined,
  ) => { readonly ok: true; readonly value: Filter<Row> | undefined } | Refused<'invalid_filter'>
  readonly missing: { readonly code: Code; readonly text: string }
  /** The orders of the table that group rows by an owner; only `job` by default. */
  readonly orders?: readonly CreatedScope['order'][]
}

const toList: readonly NamespaceCapability[] = ['read-job', 'list-jobs']

/** Lists in the order of creation, or of identifiers if the call has a prefix. */
export const listByCreation = <Row extends CreatedRow, Record extends object, Stub>(
  cluster: Cluster,
  { table, records, filters, orders = ['job'] }: CreatedKind<Row, Record, string>,
  call: ListCall,
  shown: {
    readonly show: Show<Row, Stub>
    readonly fields?: readonly unknown[]
    /** A further condition on rows. */
    readonly asked?: (row: Row) => boolean
    /** The job that rows must belong to; any by default. */
    readonly job?: string | undefined
  },
): Promise<Found<readonly Stub[]> | Refused<ListRefusal>> =>
  enter(cluster, call, ({ now, access }) => {
    const { namespace = 'default', prefix = '' } = call
    if (!access.namespace(namespace, ...toList)) return permissionDenied()
    const filter = filters(call.filter)
    if (!filter.ok) return filter
    const every = namespace === everyNamespace
    const seen = every ? visibleNamespaces(access, ...toList) : undefined
    const plan = {
      question: [records.name, namespace, every && access.id, ...(shown.fields ?? [])],
      marks: [every ? records.markOf() : records.markOf('namespace', namespace)],
      filter: filter.value,
      show: shown.show,
    }
    if (prefix !== '')
      return answerList(cluster, call, now, {
        ...plan,
        within: beginning([], prefix),
        rows: (at, range) => table(cluster.tables).at(at).chunks(range),
        shape: ['text'],
        keyOf: ({ ID }) => [ID],
        visible: both(every ? seen : (row) => row.Namespace === namespace, shown.asked),
      })
    const scope = narrowest(filter.value, every ? undefined : namespace, { orders, job: shown.job })
    if (scope !== undefined)
      return answerList(cluster, call, now, {
        ...plan,
        within: beginning(scope.parts),
        before: scope.parts,
        rows: (at, range) => table(cluster.tables).at(at).by(scope.order).chunks(range),
        shape: ['number', 'text'],
        keyOf: ({ CreateIndex, ID }) => [CreateIndex, ID],
        visible: both(every ? seen : (row) => row.Namespace === namespace, shown.asked),
      })
    const order = every ? 'created' : 'namespace'
    return answerList(cluster, call, now, {
      ...plan,
      within: every ? beginning([]) : beginning([namespace]),
      before: every ? [] : [namespace],
      rows: (at, range) => table(cluster.tables).at(at).by(order).chunks(range),
      shape: ['number', 'text'],
      keyOf: ({ CreateIndex, ID }) => [CreateIndex, ID],
      visible: both<Row>(seen, shown.asked),
    })
  })

/** The scope of a narrower list: a job, or a node. */
export interface CreatedScope {
  /** The table's order that keeps them together. */
  readonly order: 'job' | 'node'
  /** Their scope: the first parts of that order, and of the mark that rises with them. */
  readonly parts: readonly string[]
}

/** The narrowest scope that contains every row that a filter passes; `undefined` if there is none. */
function narrowest<Row>(
  filter: Filter<Row> | undefined,
  namespace: string | undefined,
  { orders, job }: { readonly orders: readonly CreatedScope['order'][]; readonly job: string | undefined },
): CreatedScope | undefined {
  if (namespace !== undefined && job !== undefined) return { order: 'job', parts: [namespace, job] }
  for (const { path, op, values } of filter === undefined ? [] : hintsOf(filter)) {
    const [value] = values
    if (op !== 'eq' || typeof value !== 'string' || value.length > longestKey) continue
    if (path === 'NodeID' && orders.includes('node')) return { order: 'node', parts: [value] }
    if (path === 'JobID' && namespace !== undefined) return { order: 'job', parts: [namespace, value] }
  }
  return undefined
}

/** No identifier is longer. */
const longestKey = 512

const known = new WeakMap<object, readonly Hint[]>()

/** Filters are compiled once and used for every page. */
function hintsOf<Row>(filter: Filter<Row>): readonly Hint[] {
  const found = known.get(filter) ?? hints(filter)
  known.set(filter, found)
  return found
}

/** Lists the records of one job or node, oldest first; the caller's access to it is checked before. */
export function listWithin<Row extends CreatedRow, Record extends object, Stub>(
  cluster: Cluster,
  { table, records, filters }: CreatedKind<Row, Record, string>,
  call: ListCall,
  { now, access }: Entered,
  { order, parts }: CreatedScope,
  shown: {
    readonly show: Show<Row, Stub>
    readonly fields?: readonly unknown[]
    /** A further condition on rows, in a snapshot. */
    readonly asked?: ((now: Snapshot) => ((row: Row) => boolean) | undefined) | undefined
    /** The mark that rises with the list, if it is not that of its scope. */
    readonly mark?: string | undefined
  },
): Promise<Listed<Stub>> | Listed<Stub> | Refused<'invalid_filter'> {
  const filter = filters(call.filter)
  if (!filter.ok) return filter
  const { prefix = '' } = call
  const seen = order === 'node' ? visibleNamespaces(access, 'read-job') : undefined
  const begins = prefix === '' ? undefined : ({ ID }: CreatedRow) => ID.startsWith(prefix)
  return answerList<Row, Stub>(cluster, call, now, {
    question: [records.name, order, ...parts, access.id, ...(shown.fields ?? [])],
    marks: [shown.mark ?? records.markOf(order, ...parts)],
    within: beginning(parts),
    before: parts,
    rows: (at, range) => {
      const asked = shown.asked?.(at)
      const chunks = table(cluster.tables).at(at).by(order).chunks(range)
      return asked === undefined ? chunks : only(chunks, asked)
    },
    shape: ['number', 'text'],
    keyOf: ({ CreateIndex, ID }) => [CreateIndex, ID],
    visible: both<Row>(seen, begins),
    filter: filter.value,
    show: shown.show,
  })
}

function* only<Row>(chunks: Iterable<readonly Row[]>, asked: (row: Row) => boolean) {
  for (const chunk of chunks) yield chunk.filter(asked)
}

/** Reads one record. The namespace is the record's own; that of the call is ignored. */
export const readById = <Row extends CreatedRow, Record extends object, Code extends string>(
  cluster: Cluster,
  { records, missing }: Pick<CreatedKind<Row, Record, Code>, 'records' | 'missing'>,
  id: string,
  call: ReadCall,
  read: (now: Snapshot, id: string) => Row | undefined,
): Promise<Found<Row> | Refused<Code | 'permission_denied'>> =>
  enter(cluster, call, ({ now, access }) => {
    const key = records.keyOf(id)
    const mark = records.markOf()
    const question = [records.name, id, call.namespace, access.id]
    return answerRead<Row, Code | 'permission_denied'>(cluster, call, now, question, (at) => {
      const value = seenBy(access, read(at, id))
      if (!access.namespace(value?.Namespace ?? call.namespace ?? 'default', 'read-job'))
        return { ...permissionDenied(), ...withoutWaiting }
      if (value !== undefined) return { value, index: value.ModifyIndex, keys: [key] }
      const index = indexOf(at, [mark])
      return { ...refuse(missing.code, missing.text, { index }), index, keys: [mark] }
    })
  })
