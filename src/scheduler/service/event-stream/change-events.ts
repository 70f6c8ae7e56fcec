import { type Collection, isMark, partsOf } from '../../../store/index.ts'
import type { Allocation } from '../../allocations/model.ts'
import type { Deployment } from '../../deployments/model.ts'
import type { Evaluation } from '../../evaluations/model.ts'
import type { Job } from '../../jobs/model.ts'
import { withDrain } from '../../nodes/assemble.ts'
import type { Node } from '../../nodes/model.ts'
import {
  allocationRecords,
  deploymentRecords,
  evaluationRecords,
  jobRecords,
  jobStatusRecords,
  jobTagRecords,
  namespaceRecords,
  nodeRecords,
  policyRecords,
  poolRecords,
  roleRecords,
  tokenRecords,
} from '../../records/collections.ts'
import {
  indexed,
  type Records,
  readAllocation,
  readDeployment,
  readEvaluation,
  readJob,
  readNode,
} from '../../records/tables.ts'
import type { EventTopic } from './topics.ts'

/**
 * One change.
 */
export interface ClusterEvent {
  readonly Topic: EventTopic
  /** The kind of change, such as `JobRegistered`. */
  readonly Type: string
  /** The ID or name of the changed object. */
  readonly Key: string
  /** Empty for objects without a namespace. */
  readonly Namespace: string
  /** The index of the change. */
  readonly Index: number
  /** The object after the change; the last state of a deleted one. */
  readonly Payload: Readonly<Record<string, unknown>>
}

/** An event with its other keys, whose subscribers receive it too. */
export interface RoutedEvent {
  readonly event: ClusterEvent
  readonly related: readonly string[]
}

interface Row {
  readonly ModifyIndex: number
}

/** How changes of one kind of record become events. */
interface Kind<Each extends Row> {
  readonly topic: EventTopic
  readonly read: (now: Records, parts: readonly string[]) => Each | null | undefined
  readonly typeOf: (before: Each | undefined, after: Each | undefined) => string
  readonly key: (row: Each) => string
  readonly namespace?: (row: Each) => string
  readonly related?: (row: Each) => readonly string[]
  readonly shown?: (row: Each) => object
}

/** Describes a change of a record as an event. */
type Describe = (
  before: Records,
  after: Records,
  parts: readonly string[],
  rev: number,
) => RoutedEvent | undefined

const kind =
  <Each extends Row>({
    topic,
    read,
    typeOf,
    key,
    namespace = () => '',
    related = () => [],
    shown = (row) => row,
  }: Kind<Each>): Describe =>
  (before, after, parts, rev) => {
    const was = read(before, parts) ?? undefined
    const is = read(after, parts) ?? undefined
    const row = is ?? was
    if (row === undefined) return undefined
    const event: ClusterEvent = {
      Topic: topic,
      Type: typeOf(was, is),
      Key: key(row),
      Namespace: namespace(row),
      Index: is?.ModifyIndex ?? rev,
      Payload: { [topic]: shown(row) },
    }
    return { event, related: related(row) }
  }

const written =
  (upserted: string, deleted: string) =>
  (_: unknown, after: unknown): string =>
    after === undefined ? deleted : upserted

const job = kind<Job>({
  topic: 'Job',
  read: (now, [namespace = '', id = '']) => readJob(now, namespace, id),
  typeOf: (before, after) => {
    if (after === undefined) return 'JobDeregistered'
    if (before?.JobModifyIndex === after.JobModifyIndex) return 'JobStatusUpdated'
    return after.Stop && before?.Stop === false ? 'JobDeregistered' : 'JobRegistered'
  },
  key: ({ ID }) => ID,
  namespace: ({ Namespace }) => Namespace,
})

const evaluation = kind<Evaluation>({
  topic: 'Evaluation',
  read: (now, [id = '']) => readEvaluation(now, id),
  typeOf: written('EvaluationUpdated', 'EvaluationDeleted'),
  key: ({ ID }) => ID,
  namespace: ({ Namespace }) => Namespace,
  related: ({ JobID, DeploymentID }) => [JobID, DeploymentID],
})

const allocation = kind<Allocation>({
  topic: 'Allocation',
  read: (now, [id = '']) => readAllocation(now, id),
  typeOf: (before, after) => {
    if (after === undefined) return 'AllocationDeleted'
    if (before === undefined) return 'PlanResult'
    return before.DesiredStatus === after.DesiredStatus
      ? 'AllocationUpdated'
      : 'AllocationUpdateDesiredStatus'
  },
  key: ({ ID }) => ID,
  namespace: ({ Namespace }) => Namespace,
  related: ({ JobID, DeploymentID }) => [JobID, DeploymentID],
})

const promoted = ({ TaskGroups }: Deployment) =>
  Object.values(TaskGroups).filter(({ Promoted }) => Promoted).length

const deployment = kind<Deployment>({
  topic: 'Deployment',
  read: (now, [id = '']) => readDeployment(now, id),
  typeOf: (before, after) => {
    if (after === undefined) return 'DeploymentDeleted'
    if (before === undefined || before.Status !== after.Status) return 'DeploymentStatusUpdate'
    return promoted(before) === promoted(after) ? 'DeploymentAllocHealth' : 'DeploymentPromotion'
  },
  key: ({ ID }) => ID,
  namespace: ({ Namespace }) => Namespace,
  related: ({ JobID }) => [JobID],
})

const node = kind<Node>({
  topic: 'Node',
  read: (now, [id = '']) => readNode(now, id),
  typeOf: (before, after) => {
    if (after === undefined) return 'NodeDeregistration'
    if (before === undefined) return 'NodeRegistration'
    if (before.Status !== after.Status) return 'NodeEvent'
    if (before.DrainStrategy !== after.DrainStrategy) return 'NodeDrain'
    return before.SchedulingEligibility === after.SchedulingEligibility
      ? 'NodeRegistration'
      : 'NodeEligibility'
  },
  key: ({ ID }) => ID,
  shown: withDrain,
})

/** Records that are identified by name and have no namespace. */
const named = <Each extends { readonly Name: string }>(topic: EventTopic, from: Collection<Each>) =>
  kind<Each & Row>({
    topic,
    read: (now, [name = '']) => indexed(from, now, name),
    typeOf: written(`${topic}Upserted`, `${topic}Deleted`),
    key: ({ Name }) => Name,
  })

/** The kinds that have events, by the collection of their records. */
const kinds: ReadonlyMap<string, Describe> = new Map([
  [jobRecords.name, job],
  [jobStatusRecords.name, job],
  [evaluationRecords.name, evaluation],
  [allocationRecords.name, allocation],
  [deploymentRecords.name, deployment],
  [nodeRecords.name, node],
  [poolRecords.name, named('NodePool', poolRecords)],
  [namespaceRecords.name, named('Namespace', namespaceRecords)],
  [policyRecords.name, named('ACLPolicy', policyRecords)],
  [
    roleRecords.name,
    kind({
      topic: 'ACLRole',
      read: (now, [id = '']) => indexed(roleRecords, now, id),
      typeOf: written('ACLRoleUpserted', 'ACLRoleDeleted'),
      key: ({ ID }) => ID,
    }),
  ],
  [
    tokenRecords.name,
    kind({
      topic: 'ACLToken',
      read: (now, [accessor = '']) => indexed(tokenRecords, now, accessor),
      typeOf: written('ACLTokenUpserted', 'ACLTokenDeleted'),
      key: ({ AccessorID }) => AccessorID,
      shown: ({ SecretID: _, ...rest }) => rest,
    }),
  ],
])

/** Tests whether a change of a key causes an event. */
export const hasEvent = (key: string): boolean => !isMark(key) && kinds.has(partsOf(key)[0] ?? '')

/** The keys of all records that the events of some changed keys contain. */
export function keysOfEvents(changed: readonly string[]): ReadonlySet<string> {
  const keys = new Set(changed)
  for (const key of changed) {
    const [name, ...id] = partsOf(key)
    if (name === jobRecords.name || name === jobStatusRecords.name)
      for (const records of [jobRecords, jobStatusRecords, jobTagRecords]) keys.add(records.keyOf(...id))
  }
  return keys
}

/** Returns the events of some changed keys between two snapshots, ordered by index. */
export function eventsOf(
  keys: readonly string[],
  before: Records,
  after: Records,
  rev: number,
): readonly RoutedEvent[] {
  const events = new Map<string, RoutedEvent>()
  for (const key of keys) {
    const [name = '', ...parts] = partsOf(key)
    const describe = kinds.get(name)
    const each = describe?.(before, after, parts, rev)
    // A job's specification and its status are two records, and one event.
    if (each !== undefined) events.set(JSON.stringify([each.event.Topic, ...parts]), each)
  }
  return [...events.values()].sort((a, b) => a.event.Index - b.event.Index)
}
