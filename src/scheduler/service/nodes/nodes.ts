import { type Refused, refuse } from '../../../kernel/index.ts'
import { Node } from '../../nodes/model.ts'
import { type NodeStub, type NodeStubFields, nodeStub } from '../../nodes/stub.ts'
import { poolOfAll } from '../../pools/rules.ts'
import { nodeRecords } from '../../records/collections.ts'
import { readNode } from '../../records/tables.ts'
import { permissionDenied } from '../acl/authenticate.ts'
import type { Found, ListCall, ReadCall } from '../call.ts'
import { type Cluster, indexOf } from '../cluster.ts'
import { enter } from '../enter.ts'
import { filtersFor } from '../read/filter.ts'
import { answerList, beginning, type ListRefusal } from '../read/list.ts'
import { answerRead } from '../read/read.ts'
import { stubsOf } from '../read/stubs.ts'

/**
 * A call for a list of nodes.
 *
 * @public
 */
export interface ListNodesCall extends ListCall, NodeStubFields {}

const filters = filtersFor(Node)

export function nodeMethods(cluster: Cluster) {
  const { tables, product } = cluster
  const stubs = stubsOf((node: Node, fields: NodeStubFields) => nodeStub(node, fields, product))
  return {
    /** Lists nodes in the order of their IDs; asks for `node:read`. */
    listNodes: (call: ListNodesCall = {}): Promise<Found<readonly NodeStub[]> | Refused<ListRefusal>> =>
      enter(cluster, call, ({ now, access }) => {
        if (!access.coarse('node', 'read')) return permissionDenied()
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        return answerList(cluster, call, now, {
          question: ['nodes', call.os, call.resources],
          marks: [nodeRecords.markOf()],
          within: beginning([], call.prefix),
          rows: (at, range) => tables.nodes.at(at).chunks(range),
          shape: ['text'],
          keyOf: ({ ID }) => [ID],
          filter: filter.value,
          show: stubs({ os: call.os, resources: call.resources }),
        })
      }),

    /** Lists the nodes of a pool, all of them for `all`; asks for `node:read` and `node_pool:read`. */
    listPoolNodes: (
      pool: string,
      call: ListNodesCall = {},
    ): Promise<Found<readonly NodeStub[]> | Refused<ListRefusal>> =>
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
            const rows = tables.nodes.at(at)
            return everyNode ? rows.chunks(range) : rows.by('pool').chunks(range)
          },
          shape: ['text'],
          keyOf: ({ ID }) => [ID],
          filter: filter.value,
          show: stubs({ os: call.os, resources: call.resources }),
        })
      }),

    /** Reads one node; asks for `node:read`. */
    readNode: (
      id: string,
      call: ReadCall = {},
    ): Promise<Found<Node> | Refused<'permission_denied' | 'node_not_found'>> =>
      enter(cluster, call, ({ now, access }) => {
        if (!access.coarse('node', 'read')) return permissionDenied()
        const key = nodeRecords.keyOf(id)
        const mark = nodeRecords.markOf()
        return answerRead(cluster, call, now, ['node', id], (at) => {
          const value = readNode(at, id)
          if (value !== undefined) return { value, index: value.ModifyIndex, keys: [key] }
          const index = indexOf(at, [mark])
          return { ...refuse('node_not_found', 'node not found', { index }), index, keys: [mark] }
        })
      }),
  }
}
