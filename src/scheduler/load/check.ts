import { formatPath } from '../../http/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { firstFault } from '../../operation/known-fields.ts'
import { readRules } from '../acl/policy-text.ts'
import { defaultNamespace, namespaceProblems } from '../namespaces/rules.ts'
import { builtInPools, poolNamed, poolOfAll, poolProblems } from '../pools/rules.ts'
import { SchedulerRecords } from '../wire/records.ts'
import { kindsOf, type RecordKind } from './kinds.ts'

type Bad = Refused<'bad_record'>

const bad = (path: readonly PropertyKey[], message: string): Bad => {
  const where = formatPath(['scheduler', ...path])
  return refuse('bad_record', `${where}: ${message}`, { path: where })
}

/** Checks a load file's records, all of them, and names the first bad one by its path. */
export function checkRecords(
  records: unknown,
): { readonly ok: true; readonly value: SchedulerRecords } | Refused<'bad_record'> {
  const parsed = SchedulerRecords.safeParse(records ?? {})
  if (!parsed.success) {
    const { keys, message } = firstFault(parsed.error)
    return bad(keys, message)
  }
  return firstProblem(parsed.data) ?? { ok: true, value: parsed.data }
}

/** Rules across fields and across records, which schemas cannot express. */
function firstProblem(records: SchedulerRecords): Bad | undefined {
  return (
    unkeepable(records) ??
    duplicate('namespaces', records.namespaces, ({ Name }) => Name, 'Name') ??
    duplicate('pools', records.pools, ({ Name }) => Name, 'Name') ??
    duplicate('nodes', records.nodes, ({ ID }) => ID, 'ID') ??
    duplicate('jobs', records.jobs, ({ Namespace, ID }) => JSON.stringify([Namespace, ID]), 'ID') ??
    duplicate('deployments', records.deployments, ({ ID }) => ID, 'ID') ??
    duplicate('allocations', records.allocations, ({ ID }) => ID, 'ID') ??
    duplicate('evaluations', records.evaluations, ({ ID }) => ID, 'ID') ??
    duplicate('policies', records.policies, ({ Name }) => Name, 'Name') ??
    duplicate('tokens', records.tokens, ({ SecretID }) => SecretID, 'SecretID') ??
    duplicate('tokens', records.tokens, ({ AccessorID }) => AccessorID, 'AccessorID') ??
    wrongIndexes(records) ??
    wrongNamespaces(records) ??
    wrongPools(records) ??
    wrongMembers(records) ??
    wrongAccess(records)
  )
}

/** The fields that identify records: parts of keys, which have limits. */
const keyFields: ReadonlySet<string> = new Set([
  'ID',
  'Namespace',
  'JobID',
  'NodeID',
  'ParentID',
  'AccessorID',
  'SecretID',
])

const maxBytes = 512

function unkeepable(records: SchedulerRecords): Bad | undefined {
  for (const [kind, rows] of kindsOf(records))
    for (const [at, row] of rows.entries())
      for (const [field, value] of Object.entries(row)) {
        if (!keyFields.has(field) || typeof value !== 'string') continue
        if (/\p{Surrogate}/u.test(value)) return bad([kind, at, field], 'is not valid Unicode')
        // No character has more than three bytes for one unit.
        if (value.length * 3 > maxBytes && new TextEncoder().encode(value).length > maxBytes)
          return bad([kind, at, field], `is longer than ${maxBytes} bytes`)
      }
  return undefined
}

function duplicate<Row>(
  kind: RecordKind,
  rows: readonly Row[],
  keyOf: (row: Row) => string | undefined,
  field: string,
): Bad | undefined {
  const seen = new Map<string, number>()
  for (const [at, row] of rows.entries()) {
    const key = keyOf(row)
    // Missing IDs are generated, and never equal.
    if (key === undefined) continue
    const earlier = seen.get(key)
    if (earlier !== undefined) return bad([kind, at, field], `is the same as in ${kind}[${earlier}]`)
    seen.set(key, at)
  }
  return undefined
}

function wrongIndexes(records: SchedulerRecords): Bad | undefined {
  for (const [kind, rows] of kindsOf(records))
    for (const [at, { CreateIndex, ModifyIndex }] of rows.entries())
      if (CreateIndex !== undefined && ModifyIndex !== undefined && CreateIndex > ModifyIndex)
        return bad([kind, at, 'ModifyIndex'], `is ${ModifyIndex}, before CreateIndex ${CreateIndex}`)
  for (const [at, { CreateIndex = 1, ModifyIndex, JobModifyIndex }] of records.jobs.entries())
    if (
      JobModifyIndex !== undefined &&
      (JobModifyIndex < CreateIndex || JobModifyIndex > (ModifyIndex ?? JobModifyIndex))
    )
      return bad(['jobs', at, 'JobModifyIndex'], 'must lie between CreateIndex and ModifyIndex')
  return undefined
}

/** If a file declares namespaces, jobs must be in those; a dead job may have lost its own. */
function wrongNamespaces({ namespaces, jobs }: SchedulerRecords): Bad | undefined {
  for (const [at, namespace] of namespaces.entries()) {
    const [problem] = namespaceProblems(namespace)
    if (problem !== undefined) return bad(['namespaces', at], problem)
  }
  if (namespaces.length === 0) return undefined
  const known = new Set([defaultNamespace, ...namespaces.map(({ Name }) => Name)])
  for (const [at, { ID, Namespace, Status, Stop }] of jobs.entries())
    if (!known.has(Namespace) && Status !== 'dead' && !Stop)
      return bad(['jobs', at, 'Namespace'], `job "${ID}" is in nonexistent namespace "${Namespace}"`)
  return undefined
}

function wrongPools({ pools }: SchedulerRecords): Bad | undefined {
  for (const [at, pool] of pools.entries()) {
    const [problem] = poolProblems(pool)
    if (problem !== undefined) return bad(['pools', at], problem)
    const builtIn = builtInPools.find(({ Name }) => Name === pool.Name)
    if (builtIn && pool.Description !== '' && pool.Description !== builtIn.Description)
      return bad(['pools', at, 'Name'], `"${pool.Name}" is built in and cannot be changed`)
  }
  return undefined
}

/** Nodes create undeclared pools, as registering them does; jobs do not. */
function wrongMembers({ pools, nodes, jobs }: SchedulerRecords): Bad | undefined {
  for (const [at, { NodePool }] of nodes.entries()) {
    if (NodePool === poolOfAll)
      return bad(['nodes', at, 'NodePool'], 'every node is in "all" besides its own pool: name its own pool')
    const [problem] = poolProblems(poolNamed(NodePool))
    if (problem !== undefined) return bad(['nodes', at, 'NodePool'], problem)
  }
  const known = new Set([
    ...builtInPools.map(({ Name }) => Name),
    ...pools.map(({ Name }) => Name),
    ...nodes.map(({ NodePool }) => NodePool),
  ])
  for (const [at, { ID, NodePool, Status, Stop }] of jobs.entries())
    if (!known.has(NodePool) && Status !== 'dead' && !Stop)
      return bad(['jobs', at, 'NodePool'], `job "${ID}" is in nonexistent node pool "${NodePool}"`)
  return undefined
}

function wrongAccess({ policies, tokens }: SchedulerRecords): Bad | undefined {
  for (const [at, { Rules }] of policies.entries()) {
    const read = readRules(Rules)
    if (!read.ok) return bad(['policies', at, 'Rules'], read.refusal.message)
  }
  for (const [at, { Type, Policies }] of tokens.entries())
    if (Type === 'client' && Policies.length === 0)
      return bad(['tokens', at, 'Policies'], 'a client token needs at least one policy')
  return undefined
}
