import { type Refused, refuse } from '../../../kernel/index.ts'
import { type DrainInput, drainNode, setEligibility } from '../../nodes/drain.ts'
import type { NodeInput, NodeRecord } from '../../nodes/model.ts'
import { registerNode } from '../../nodes/register.ts'
import { moveNode, type NodeVerb } from '../../nodes/status.ts'
import { isBuiltIn, listProblems, poolNamed, poolOfAll, poolProblems } from '../../pools/rules.ts'
import { nodeRecords, poolRecords } from '../../records/collections.ts'
import { permissionDenied } from '../acl/authenticate.ts'
import type { WriteCall, Written } from '../call.ts'
import type { Cluster } from '../cluster.ts'
import { enter } from '../enter.ts'
import type { SchedulerEvent } from '../events.ts'
import { writtenNode } from '../parsed-arguments.ts'
import type { Ledger } from '../write/ledger.ts'
import { type Evaluated, evaluateJobsOf, followNodeChange, noteNodeChange } from '../write/node-change.ts'
import { record } from '../write/record.ts'

/**
 * What became of a node that was written: the evaluations of the jobs it concerns.
 *
 * @public
 */
export interface NodeWritten {
  readonly NodeModifyIndex: number
  readonly EvalIDs: readonly string[]
  readonly EvalCreateIndex: number
}

/** What changing a node may refuse. */
export type NodeRefusal =
  | 'permission_denied'
  | 'node_not_found'
  | 'invalid_node'
  | 'node_is_draining'
  | 'illegal_node_move'

type Answer = Promise<Written<NodeWritten> | Refused<NodeRefusal>>
type Change = { readonly ok: true; readonly events: readonly SchedulerEvent[] } | Refused<NodeRefusal>

/** What changes nodes; all of it asks for `node:write`. */
export function nodeWriteMethods(cluster: Cluster) {
  const change = (
    id: string,
    call: WriteCall,
    decide: (ledger: Ledger, node: NodeRecord | undefined) => Change,
    after: () => Promise<Evaluated> = () => followNodeChange(cluster, id),
  ): Answer =>
    enter(cluster, call, async ({ access }) => {
      if (!access.coarse('node', 'write')) return permissionDenied()
      const { result, rev } = await record(cluster, (ledger) => {
        const before = ledger.tx.get(nodeRecords, id)
        const decided = decide(ledger, before?.value)
        if (!decided.ok) return decided
        const isWritten = ledger.tx.get(nodeRecords, id)?.value !== before?.value
        return { ok: true as const, events: decided.events, kept: isWritten ? undefined : before?.modified }
      })
      if (!result.ok) return result
      cluster.emit(result.events)
      const { ids, index } = await after()
      const value = {
        NodeModifyIndex: result.kept ?? rev,
        EvalIDs: ids,
        EvalCreateIndex: ids.length > 0 ? index : 0,
      }
      return { ok: true, value, index: Math.max(rev, index) }
    })
  const missing = () => refuse('node_not_found', 'node not found')
  const apply = (
    ledger: Ledger,
    node: NodeRecord | undefined,
    command: (
      node: NodeRecord,
    ) =>
      | { readonly ok: true; readonly state: NodeRecord; readonly events: readonly SchedulerEvent[] }
      | Refused<NodeRefusal>,
    trigger?: 'node-update' | 'node-drain',
  ): Change => {
    if (node === undefined) return missing()
    const outcome = command(node)
    if (!outcome.ok) return outcome
    // What is as it was concerns nobody.
    if (outcome.state === node) return outcome
    ledger.tx.put(nodeRecords, outcome.state)
    if (trigger !== undefined) noteNodeChange(cluster, ledger, node.ID, trigger)
    return outcome
  }
  const move = (id: string, verb: NodeVerb, call: WriteCall): Answer =>
    change(id, call, (ledger, node) =>
      apply(ledger, node, (found) => moveNode(found, { verb }, cluster.env()), 'node-update'),
    )

  return {
    /**
     * Registers a node, or brings what is known of it up to date. A pool nobody made comes into being with it.
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
    registerNode: (given: NodeInput, call: WriteCall = {}): Answer => {
      const node = writtenNode.take(given)
      return change(
        node.ID,
        call,
        (ledger, before) => {
          const outcome = registerNode(before, node, cluster.env())
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
          return outcome
        },
        () => {
          cluster.heard(node.ID)
          return followNodeChange(cluster, node.ID)
        },
      )
    },

    /**
     * A node is alive: from now on it is watched, and lost when it stays silent for `heartbeatTtlMs`.
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
    heartbeatNode: (id: string, call: WriteCall = {}): Answer =>
      enter(cluster, call, async ({ now, access }) => {
        if (!access.coarse('node', 'write')) return permissionDenied()
        const node = nodeRecords.get(now, id)
        if (node === undefined) return missing()
        cluster.heard(id)
        if (node.value.Status !== 'ready') return move(id, 'ready', call)
        const value = { NodeModifyIndex: node.modified, EvalIDs: [], EvalCreateIndex: 0 }
        return { ok: true, value, index: now.rev }
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
    moveNode: (id: string, verb: NodeVerb, call: WriteCall = {}): Answer => move(id, verb, call),

    /**
     * Begins, changes or ends the drain of a node. Services leave it as their groups' `Migrate` says, so many at a time;
     * batches may end there until its deadline, and system jobs leave last.
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
    drainNode: (id: string, input: DrainInput, call: WriteCall = {}): Answer =>
      change(id, call, (ledger, node) =>
        apply(
          ledger,
          node,
          (found) => drainNode(found, input, cluster.env()),
          input.spec === null ? 'node-update' : 'node-drain',
        ),
      ),

    /**
     * Lets the scheduler use a node for new work, or not.
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
    setNodeEligibility: (id: string, eligibility: 'eligible' | 'ineligible', call: WriteCall = {}): Answer =>
      change(id, call, (ledger, node) =>
        apply(
          ledger,
          node,
          (found) => setEligibility(found, { eligibility }, cluster.env()),
          eligibility === 'eligible' ? 'node-update' : undefined,
        ),
      ),

    /**
     * Has every job looked at that has work on a node.
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
    evaluateNode: (id: string, call: WriteCall = {}): Answer =>
      change(
        id,
        call,
        (_, node) => (node === undefined ? missing() : { ok: true, events: [] }),
        () => evaluateJobsOf(cluster, id, 'node-update'),
      ),

    /**
     * Removes a node; what ran on it is lost.
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
    purgeNode: (id: string, call: WriteCall = {}): Answer =>
      change(id, call, (ledger, node) => {
        if (node === undefined) return missing()
        ledger.tx.delete(nodeRecords, id)
        noteNodeChange(cluster, ledger, id, 'node-update')
        return { ok: true, events: [] }
      }),
  }
}
