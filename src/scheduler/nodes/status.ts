import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, nextStatus, type Outcome, refuse, step } from '../../kernel/index.ts'
import { rfc3339 } from '../values/instants.ts'
import { nodeLifecycle } from './lifecycle.ts'
import type { NodeRecord, NodeStatus } from './model.ts'

/**
 * A node reached another status.
 */
export interface NodeMoved {
  readonly type: 'node.moved'
  readonly node: string
  readonly pool: string
  readonly status: NodeStatus
}

/**
 * An event of a node: a heartbeat (`ready`), a missed heartbeat (`lose`, or `disconnect` if some of its allocations may
 * outlive it), or a deregistration (`down`).
 */
export type NodeVerb = 'ready' | 'lose' | 'disconnect' | 'down'

/**
 * Moves a node along its lifecycle.
 *
 * @returns the status reached, or `illegal_node_move`
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { moveNode, NodeRecord } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const node = NodeRecord.parse({ ID: 'n1', Name: 'gpu-1', Status: 'ready' })
 * const lost = moveNode(node, { verb: 'lose' }, env)
 * unwrap(lost) // 'down'
 * ```
 */
export function moveNode(
  node: NodeRecord,
  input: { readonly verb: NodeVerb },
  env: Env,
): Outcome<NodeRecord, NodeStatus, NodeMoved, 'illegal_node_move'> {
  checkArguments('node input env', node, input, env)
  const to = nextStatus(nodeLifecycle, node.Status, input.verb)
  if (to === undefined)
    return refuse('illegal_node_move', `cannot ${input.verb} a node that is ${node.Status}`)
  if (to === node.Status) return answer(node, to)
  return step(node, (draft, emit: (event: NodeMoved) => void) => {
    draft.Status = to
    draft.StatusUpdatedAt = Math.floor(env.now / 1000)
    draft.Events = [
      ...(node.Events ?? []).slice(1 - maxEvents),
      {
        Message: messages[input.verb],
        Subsystem: 'Cluster',
        Details: null,
        Timestamp: rfc3339(env.now),
        CreateIndex: 0,
      },
    ]
    emit({ type: 'node.moved', node: node.ID, pool: node.NodePool, status: to })
    return to
  })
}

/** The number of events kept per node. */
const maxEvents = 10

const messages = {
  ready: 'Node heartbeat received',
  lose: 'Node heartbeat missed',
  disconnect: 'Node heartbeat missed; waiting for it to reconnect',
  down: 'Node is going down',
} as const satisfies Record<NodeVerb, string>
