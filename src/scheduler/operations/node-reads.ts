import { refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { withDrain } from '../nodes/assemble.ts'
import { Node } from '../nodes/model.ts'
import { poolOfAll } from '../pools/rules.ts'
import { nodeRecords } from '../records/collections.ts'
import { readNode } from '../records/tables.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { ReadCall } from '../service/call.ts'
import { type Cluster, indexOf } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { filtersFor } from '../service/read/filter.ts'
import { answerList, beginning, listRefusals } from '../service/read/list.ts'
import { answerRead } from '../service/read/read.ts'
import { call, id, name } from './arguments.ts'
import type { ListNodesCall } from './calls.ts'

const filters = filtersFor(Node)
/** The operations that list and read nodes. */
export const nodeReadOperations = {
  /**
   * Lists nodes in the order of their IDs; requires `node:read`.
   *
   * @example await scheduler.listNodes({ filter: 'Status == "ready"' })
   */
  listNodes: operation({
    takes: [call],
    refuses: listRefusals,
    run: (cluster: Cluster, call: ListNodesCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        if (!access.coarse('node', 'read')) return permissionDenied()
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        return answerList(cluster, call, now, {
          question: ['nodes', call.os, call.resources],
          marks: [nodeRecords.markOf()],
          within: beginning([], call.prefix),
          rows: (at, range) => cluster.tables.nodes.at(at).chunks(range),
          shape: ['text'],
          keyOf: ({ ID }) => [ID],
          filter: filter.value,
          show: cluster.lists.nodes({ os: call.os, resources: call.resources }),
        })
      }),
  }),

  /**
   * Lists the nodes of a pool, all of them for `all`; requires `node:read` and `node_pool:read`.
   *
   * @example await scheduler.listPoolNodes('default')
   */
  listPoolNodes: operation({
    takes: [name, call],
    refuses: listRefusals,
    run: (cluster: Cluster, pool: string, call: ListNodesCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        if (!access.coarse('node', 'read') || !access.pool(pool, 'read')) return permissionDenied()
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        const everyNode = pool === poolOfAll
        return answerList(cluster, call, now, {
          question: ['pool-nodes', pool, call.os, call.resources],
          marks: [everyNode ? nodeRecords.markOf() : nodeRecords.markOf('pool', pool)],
          within: everyNode ? beginning([]) : beginning([pool]),
          before: everyNode ? [] : [pool],
          rows: (at, range) => {
            const rows = cluster.tables.nodes.at(at)
            return everyNode ? rows.chunks(range) : rows.by('pool').chunks(range)
          },
          shape: ['text'],
          keyOf: ({ ID }) => [ID],
          filter: filter.value,
          show: cluster.lists.nodes({ os: call.os, resources: call.resources }),
        })
      }),
  }),

  /**
   * Reads one node; requires `node:read`.
   *
   * @example await scheduler.readNode('n1')
   */
  readNode: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'node_not_found'],
    run: (cluster: Cluster, id: string, call: ReadCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        if (!access.coarse('node', 'read')) return permissionDenied()
        const key = nodeRecords.keyOf(id)
        const mark = nodeRecords.markOf()
        return answerRead(cluster, call, now, ['node', id], (at) => {
          const found = readNode(at, id)
          if (found !== undefined) return { value: withDrain(found), index: found.ModifyIndex, keys: [key] }
          const index = indexOf(at, [mark])
          return { ...refuse('node_not_found', 'node not found', { index }), index, keys: [mark] }
        })
      }),
  }),
}
