import * as z from 'zod'
import { equalTexts } from '../../crypto/compare.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { argument, aText, like, optionalArgument } from '../../operation/arguments.ts'
import { operation, routeOperation } from '../../operation/operation.ts'
import type { Snapshot } from '../../store/index.ts'
import { fullAccess } from '../acl/access.ts'
import type { Allocation } from '../allocations/model.ts'
import { hasEnded } from '../allocations/rules.ts'
import type { NodeRecord } from '../nodes/model.ts'
import { allocationRecords, nodeTokenRecords } from '../records/collections.ts'
import { jobOfAllocation, readAllocation, readNode } from '../records/tables.ts'
import type { RunnerAnswer } from '../runners/call-model.ts'
import {
  type RunnerAllocation,
  type RunnerHeard,
  type RunnerRegistered,
  RunnerReport,
} from '../runners/model.ts'
import { hashSecret, isSecret } from '../runners/node-secret.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { ReadCall, WriteCall } from '../service/call.ts'
import { type Cluster, indexOf } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { beginning } from '../service/read/list.ts'
import { answerRead } from '../service/read/read.ts'
import { allocationWriteOperations } from './allocation-writes.ts'
import { call, id, node } from './arguments.ts'
import { nodeWriteOperations } from './node-writes.ts'

const secret = argument<string>('secret', aText)
const reports = argument<readonly RunnerReport[]>('reports', like(z.array(RunnerReport)))

/** Whether a secret is that of a node. */
const isOwn = (now: Snapshot, node: string, hash: string): boolean => {
  const kept = nodeTokenRecords.get(now, node)?.value.Hash
  return kept !== undefined && equalTexts(kept, hash)
}

/**
 * Authenticates a runner by the secret of its node, and returns a cluster in which it has management rights for that
 * node: its requests concern that node only.
 */
const asNode = async <Answer>(
  cluster: Cluster,
  node: string,
  { token = '' }: WriteCall,
  use: (trusted: Cluster, now: Snapshot) => Answer | Promise<Answer>,
): Promise<Answer | Refused<'permission_denied'>> => {
  const hash = await hashSecret(token)
  const now = await cluster.view.fresh()
  return isOwn(now, node, hash) ? use(trustedIn(cluster), now) : permissionDenied()
}

const trustedIn = (cluster: Cluster): Cluster => ({
  ...cluster,
  authenticate: () => ({ ok: true, value: { access: fullAccess, policies: [] } }),
})

/** An allocation with the specification to run. */
function withGroup(now: Snapshot, allocation: Allocation): RunnerAllocation {
  const spec = jobOfAllocation(now, allocation)
  const Group = spec?.TaskGroups.find(({ Name }) => Name === allocation.TaskGroup) ?? null
  if (spec === undefined) return { ...allocation, Job: null, Group }
  const { ID, Name, Namespace, Type, Meta, Payload, Update } = spec
  return { ...allocation, Job: { ID, Name, Namespace, Type, Meta, Payload, Update }, Group }
}

/** Fetches the calls for a node's runner; waits until there are some. Requires the secret of the node. */
export const nextRunnerCalls = routeOperation({
  refuses: ['permission_denied'],
  run: (cluster: Cluster, id: string, waitMs: number, call: Pick<ReadCall, 'token' | 'signal'>) =>
    asNode(cluster, id, call, async () => ({
      ok: true as const,
      value: await cluster.runners.next(id, waitMs, call.signal),
    })),
})

/** Delivers a runner's answer to a call. Requires the secret of the node. */
export const answerRunnerCall = routeOperation({
  refuses: ['permission_denied'],
  run: (cluster: Cluster, id: string, callId: string, answer: RunnerAnswer, call: WriteCall) =>
    asNode(cluster, id, call, () => {
      cluster.runners.answer(id, callId, answer)
      return { ok: true as const, value: undefined }
    }),
})

/** The operations of a node's runner: routes of Plinth's own, for runners in any language. */
export const runnerOperations = {
  /**
   * Whether the caller may register some node: by `node:write`, or by the secret of a node.
   *
   * @example await scheduler.mayRegisterRunner({ token })
   */
  mayRegisterRunner: operation({
    takes: [call],
    refuses: ['permission_denied'],
    run: async (cluster: Cluster, call: WriteCall = {}) => {
      const now = await cluster.view.fresh()
      const hash = await hashSecret(call.token ?? '')
      if (nodeTokenRecords.find(now, 'hash', hash) !== undefined) return { ok: true as const }
      return enter(cluster, call, ({ access }) =>
        access.coarse('node', 'write') ? { ok: true as const } : permissionDenied(),
      )
    },
  }),

  /**
   * Whether the caller is the runner of a node: by its secret.
   *
   * @example await scheduler.mayRunNode('n1', { token: nodeSecret })
   */
  mayRunNode: operation({
    takes: [id, call],
    refuses: ['permission_denied'],
    run: (cluster: Cluster, id: string, call: WriteCall = {}) =>
      asNode(cluster, id, call, () => ({ ok: true as const })),
  }),

  /**
   * Registers a node with the secret that identifies its runner from then on; only its hash is stored. A node without a
   * secret requires `node:write`, and one with a secret requires that secret. If the secret is omitted, it is generated
   * and returned once.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * const made = await scheduler.registerRunner({ ID: 'n1', Drivers: { raw_exec: { Detected: true, Healthy: true } } })
   * const token = made.ok ? (made.value.SecretID ?? '') : ''
   * const found = await scheduler.listRunnerAllocations('n1', { token })
   * found.ok && found.value // []
   * ```
   */
  registerRunner: operation({
    takes: [node, optionalArgument(secret), call],
    refuses: [
      'permission_denied',
      'invalid_node',
      'invalid_node_secret',
      'node_not_found',
      'illegal_node_move',
    ],
    run: async (cluster: Cluster, node: NodeRecord, given?: string, call: WriteCall = {}) => {
      if (given !== undefined && !isSecret(given))
        return refuse(
          'invalid_node_secret',
          'a node secret has 20 to 256 printable ASCII characters, without spaces',
        )
      const drawn = given ?? cluster.env().newId('secret')
      const hash = await hashSecret(drawn)
      const own = await hashSecret(given ?? call.token ?? '')
      const now = await cluster.view.fresh()
      const isKnown = nodeTokenRecords.get(now, node.ID) !== undefined
      if ((nodeTokenRecords.find(now, 'hash', hash)?.value.NodeID ?? node.ID) !== node.ID)
        return refuse('invalid_node_secret', 'another node has this secret: every node needs its own')
      if (isKnown && !isOwn(now, node.ID, own)) return permissionDenied()
      const { heartbeatNode, registerNode } = nodeWriteOperations
      const trusted = trustedIn(cluster)
      // The node's runner starts its allocations: placement waits until the node is known to have one.
      const Status = isKnown ? 'ready' : 'initializing'
      const registered = await registerNode.run(isKnown ? trusted : cluster, { ...node, Status }, call)
      if (!registered.ok) return registered
      if (!isKnown) {
        const { answer } = await cluster.commitAt((tx) => {
          const before = tx.get(nodeTokenRecords, node.ID)?.value
          // Of two concurrent runners, only one becomes the node's.
          if (before !== undefined && before.Hash !== hash) return permissionDenied()
          const other = tx.find(nodeTokenRecords, 'hash', hash)?.value.NodeID ?? node.ID
          if (other !== node.ID)
            return refuse('invalid_node_secret', 'another node has this secret: every node needs its own')
          tx.put(nodeTokenRecords, { NodeID: node.ID, Hash: hash })
          return { ok: true as const, value: undefined, events: [] }
        })
        if (!answer.ok) return answer
      }
      const ready = await heartbeatNode.run(trusted, node.ID, {})
      if (!ready.ok) return ready
      const SecretID = isKnown || given !== undefined ? null : drawn
      const value: RunnerRegistered = { NodeID: node.ID, SecretID, HeartbeatTTLMs: cluster.heartbeatTtlMs }
      return { ok: true as const, value, index: ready.index }
    },
  }),

  /**
   * Sends a heartbeat of a node; requires its secret. A lost node becomes ready again, without the allocations it has
   * lost.
   *
   * @example await scheduler.heartbeatRunner('n1', { token: nodeSecret })
   */
  heartbeatRunner: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'node_not_found', 'illegal_node_move'],
    run: (cluster: Cluster, id: string, call: WriteCall = {}) =>
      asNode(cluster, id, call, async (trusted) => {
        const heard = await nodeWriteOperations.heartbeatNode.run(trusted, id, {})
        if (!heard.ok) return heard
        const Status = readNode(await cluster.view.fresh(), id)?.Status ?? ''
        const value: RunnerHeard = { NodeID: id, Status, HeartbeatTTLMs: cluster.heartbeatTtlMs }
        return { ok: true as const, value, index: heard.index }
      }),
  }),

  /**
   * Deregisters a node's runner; requires its secret. The node's allocations are lost, and placed elsewhere.
   *
   * @example await scheduler.leaveRunner('n1', { token: nodeSecret })
   */
  leaveRunner: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'node_not_found', 'illegal_node_move'],
    run: (cluster: Cluster, id: string, call: WriteCall = {}) =>
      asNode(cluster, id, call, (trusted) => nodeWriteOperations.moveNode.run(trusted, id, 'down', {})),
  }),

  /**
   * Lists the allocations that a node has to run or, by `DesiredStatus`, to stop, oldest first, until they are reported
   * as over; requires its secret. With an index it waits for changes.
   *
   * @example await scheduler.listRunnerAllocations('n1', { token: nodeSecret })
   */
  listRunnerAllocations: operation({
    takes: [id, call],
    refuses: ['permission_denied'],
    run: (cluster: Cluster, id: string, call: ReadCall = {}) =>
      asNode(cluster, id, call, (trusted) =>
        enter(trusted, call, ({ now }) => {
          const mark = allocationRecords.markOf('node', id)
          return answerRead<readonly RunnerAllocation[]>(trusted, call, now, ['runner', id], (at) => {
            const rows = cluster.tables.allocations
              .at(at)
              .by('node')
              .scan({ prefix: beginning([id]) })
            const value = rows.filter((row) => !hasEnded(row)).map((row) => withGroup(at, row))
            return { value, index: indexOf(at, [mark]), keys: [mark] }
          })
        }),
      ),
  }),

  /**
   * Reports the status of allocations of a node; requires its secret. If one is unknown or on another node, it is not
   * found and nothing is written. Repeating a report changes nothing.
   *
   * @example await scheduler.reportRunnerAllocations('n1', [{ ID, ClientStatus: 'running' }], { token: nodeSecret })
   */
  reportRunnerAllocations: operation({
    takes: [id, reports, call],
    refuses: ['permission_denied', 'allocation_not_found', 'allocation_is_over'],
    run: (cluster: Cluster, id: string, reports: readonly RunnerReport[], call: WriteCall = {}) =>
      asNode(cluster, id, call, (trusted, now) => {
        const stray = reports.find(({ ID }) => readAllocation(now, ID)?.NodeID !== id)
        if (stray !== undefined) return refuse('allocation_not_found', 'alloc not found')
        const updates = reports.map((report) => RunnerReport.parse(report))
        return allocationWriteOperations.updateAllocations.run(trusted, updates, {})
      }),
  }),
}
