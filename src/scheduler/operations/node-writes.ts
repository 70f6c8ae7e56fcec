import * as z from 'zod'
import { type Env, type Outcome, type Refused, refuse } from '../../kernel/index.ts'
import { argument, aText, like } from '../../operation/arguments.ts'
import { fields, strict } from '../../operation/known-fields.ts'
import { operation } from '../../operation/operation.ts'
import type { Decision } from '../../store/transactions/runner.ts'
import { type DrainInput, drainNode, setEligibility } from '../nodes/drain.ts'
import type { NodeRecord } from '../nodes/model.ts'
import { registerNode } from '../nodes/register.ts'
import { moveNode, type NodeVerb } from '../nodes/status.ts'
import { isBuiltIn, listProblems, poolNamed, poolOfAll, poolProblems } from '../pools/rules.ts'
import { nodeRecords, poolRecords } from '../records/collections.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { WriteCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import type { SchedulerEvent } from '../service/events.ts'
import type { Ledger } from '../service/write/ledger.ts'
import {
  type Evaluated,
  evaluateJobsOf,
  followNodeChange,
  noteNodeChange,
} from '../service/write/node-change.ts'
import { done, record } from '../service/write/record.ts'
import { int64 } from '../values/int64.ts'
import { call, id, node } from './arguments.ts'

/**
 * The result of writing a node: the evaluations of the affected jobs.
 */
export interface NodeWritten {
  readonly NodeModifyIndex: number
  readonly EvalIDs: readonly string[]
  readonly EvalCreateIndex: number
}

type Change = Decision<undefined, SchedulerEvent>

const change = <Code extends string>(
  cluster: Cluster,
  id: string,
  call: WriteCall,
  decide: (ledger: Ledger, node: NodeRecord | undefined, env: Env) => Change | Refused<Code>,
  after: () => Promise<Evaluated> = () => followNodeChange(cluster, id),
) =>
  enter(cluster, call, async ({ access }) => {
    if (!access.coarse('node', 'write')) return permissionDenied()
    const { answer, rev } = await record<number | undefined, Code>(cluster, (ledger, env) => {
      const before = ledger.tx.get(nodeRecords, id)
      const decided = decide(ledger, before?.value, env)
      if (!decided.ok) return decided
      const isWritten = ledger.tx.get(nodeRecords, id)?.value !== before?.value
      return { ...decided, value: isWritten ? undefined : before?.modified }
    })
    if (!answer.ok) return answer
    const { ids, index } = await after()
    const value: NodeWritten = {
      NodeModifyIndex: answer.value ?? rev,
      EvalIDs: ids,
      EvalCreateIndex: ids.length > 0 ? index : 0,
    }
    return { ok: true as const, value, index: Math.max(rev, index) }
  })

const missing = () => refuse('node_not_found', 'node not found')

/** Runs a command on an existing node, and creates evaluations of its jobs. */
const apply = <Code extends string>(
  cluster: Cluster,
  ledger: Ledger,
  node: NodeRecord | undefined,
  command: (node: NodeRecord) => Outcome<NodeRecord, unknown, SchedulerEvent, Code>,
  trigger?: 'node-update' | 'node-drain',
): Change | Refused<Code | 'node_not_found'> => {
  if (node === undefined) return missing()
  const outcome = command(node)
  if (!outcome.ok) return outcome
  // A node that did not change needs no evaluations.
  if (outcome.state === node) return done(outcome.events)
  ledger.tx.put(nodeRecords, outcome.state)
  if (trigger !== undefined) noteNodeChange(cluster, ledger, node.ID, trigger)
  return done(outcome.events)
}

const move = (cluster: Cluster, id: string, verb: NodeVerb, call: WriteCall) =>
  change(cluster, id, call, (ledger, node, env) =>
    apply(cluster, ledger, node, (found) => moveNode(found, { verb }, env), 'node-update'),
  )

const verb = argument<NodeVerb>('verb', aText)
const eligibility = argument<'eligible' | 'ineligible'>(
  'eligibility',
  like(z.enum(['eligible', 'ineligible'])),
)
const drain = argument<DrainInput>(
  'input',
  fields({
    spec: strict({ deadline: int64, ignoreSystemJobs: z.boolean() }).nullable(),
    markEligible: z.boolean().optional(),
    meta: z.record(z.string(), z.string()).optional(),
    accessorId: z.string().optional(),
  } satisfies Record<keyof DrainInput, z.ZodType>),
)

/** The operations that change nodes; each requires `node:write`. */
export const nodeWriteOperations = {
  /**
   * Registers a node, or updates its registration. A pool that does not exist is created with it.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerNode({ ID: 'n1', NodePool: 'gpu' })
   * const found = await scheduler.readPool('gpu')
   * found.ok // true
   * ```
   */
  registerNode: operation({
    takes: [node, call],
    refuses: ['permission_denied', 'invalid_node'],
    run: (cluster: Cluster, node: NodeRecord, call: WriteCall = {}) =>
      change(
        cluster,
        node.ID,
        call,
        (ledger, before, env) => {
          const outcome = registerNode(before, node, env)
          if (!outcome.ok) return outcome
          const { value } = outcome
          const pool = poolNamed(value.NodePool)
          const problems = poolProblems(pool)
          if (value.NodePool === poolOfAll)
            return refuse('invalid_node', 'node is not allowed to register in node pool "all"')
          if (problems.length > 0)
            return refuse('invalid_node', `invalid node pool: ${listProblems(problems)}`)
          if (/\p{Surrogate}/u.test(value.ID) || value.ID === '' || value.ID.length > 128)
            return refuse('invalid_node', 'a node ID has 1 to 128 characters')
          if (!isBuiltIn(pool.Name) && ledger.tx.get(poolRecords, pool.Name) === undefined)
            ledger.tx.put(poolRecords, pool)
          ledger.tx.put(nodeRecords, value)
          if (value.Status !== 'initializing') noteNodeChange(cluster, ledger, value.ID, 'node-update')
          return done(outcome.events)
        },
        () => {
          cluster.heard(node.ID)
          return followNodeChange(cluster, node.ID)
        },
      ),
  }),

  /**
   * Records a heartbeat: from now on the node is watched, and lost when it is silent for `heartbeatTtlMs`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore(), heartbeatTtlMs: 30_000 })
   * await scheduler.registerNode({ ID: 'n1', Status: 'down' })
   * await scheduler.heartbeatNode('n1')
   * const found = await scheduler.readNode('n1')
   * found.ok && found.value.Status // 'ready'
   * ```
   */
  heartbeatNode: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'node_not_found', 'illegal_node_move'],
    run: (cluster: Cluster, id: string, call: WriteCall = {}) =>
      enter(cluster, call, async ({ now, access }) => {
        if (!access.coarse('node', 'write')) return permissionDenied()
        const node = nodeRecords.get(now, id)
        if (node === undefined) return missing()
        cluster.heard(id)
        if (node.value.Status !== 'ready') return move(cluster, id, 'ready', call)
        const value: NodeWritten = { NodeModifyIndex: node.modified, EvalIDs: [], EvalCreateIndex: 0 }
        return { ok: true as const, value, index: now.rev }
      }),
  }),

  /**
   * Moves a node along its lifecycle, as its agent or its silence would.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerNode({ ID: 'n1', NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } } })
   * await scheduler.moveNode('n1', 'lose')
   * const found = await scheduler.readNode('n1')
   * found.ok && found.value.Status // 'down'
   * ```
   */
  moveNode: operation({
    takes: [id, verb, call],
    refuses: ['permission_denied', 'node_not_found', 'illegal_node_move'],
    run: (cluster: Cluster, id: string, verb: NodeVerb, call: WriteCall = {}) =>
      move(cluster, id, verb, call),
  }),

  /**
   * Starts, changes or ends the drain of a node. Services leave it in batches as their groups' `Migrate` says; batch
   * jobs may finish there until its deadline, and system jobs leave last.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerNode({ ID: 'n1', NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } } })
   * await scheduler.drainNode('n1', { spec: { deadline: 60e9, ignoreSystemJobs: false } })
   * const found = await scheduler.readNode('n1')
   * found.ok && found.value.SchedulingEligibility // 'ineligible'
   * ```
   */
  drainNode: operation({
    takes: [id, drain, call],
    refuses: ['permission_denied', 'node_not_found'],
    run: (cluster: Cluster, id: string, input: DrainInput, call: WriteCall = {}) =>
      change(cluster, id, call, (ledger, node, env) =>
        apply(
          cluster,
          ledger,
          node,
          (found) => drainNode(found, input, env),
          input.spec === null ? 'node-update' : 'node-drain',
        ),
      ),
  }),

  /**
   * Sets whether the scheduler may use a node for new work.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerNode({ ID: 'n1', NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } } })
   * await scheduler.setNodeEligibility('n1', 'ineligible')
   * const found = await scheduler.readNode('n1')
   * found.ok && found.value.SchedulingEligibility // 'ineligible'
   * ```
   */
  setNodeEligibility: operation({
    takes: [id, eligibility, call],
    refuses: ['permission_denied', 'node_not_found', 'node_is_draining'],
    run: (cluster: Cluster, id: string, eligibility: 'eligible' | 'ineligible', call: WriteCall = {}) =>
      change(cluster, id, call, (ledger, node, env) =>
        apply(
          cluster,
          ledger,
          node,
          (found) => setEligibility(found, { eligibility }, env),
          eligibility === 'eligible' ? 'node-update' : undefined,
        ),
      ),
  }),

  /**
   * Creates evaluations of all jobs with allocations on a node.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerNode({ ID: 'n1', NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } } })
   * const looked = await scheduler.evaluateNode('n1')
   * looked.ok && looked.value.EvalIDs // []
   * ```
   */
  evaluateNode: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'node_not_found'],
    run: (cluster: Cluster, id: string, call: WriteCall = {}) =>
      change(
        cluster,
        id,
        call,
        (_, node) => (node === undefined ? missing() : done()),
        () => evaluateJobsOf(cluster, id, 'node-update'),
      ),
  }),

  /**
   * Deletes a node; its allocations are lost.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerNode({ ID: 'n1', NodeResources: { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } } })
   * await scheduler.purgeNode('n1')
   * const found = await scheduler.readNode('n1')
   * found.ok // false
   * ```
   */
  purgeNode: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'node_not_found'],
    run: (cluster: Cluster, id: string, call: WriteCall = {}) =>
      change(cluster, id, call, (ledger, node) => {
        if (node === undefined) return missing()
        ledger.tx.delete(nodeRecords, id)
        noteNodeChange(cluster, ledger, id, 'node-update')
        return done()
      }),
  }),
}
