import { checkArguments } from '../../kernel/check-arguments.ts'
import type { Env, Outcome } from '../../kernel/index.ts'
import type { NodeRecord } from './model.ts'

/**
 * A node registered.
 */
export interface NodeRegistered {
  readonly type: 'node.registered'
  readonly node: string
  readonly pool: string
  readonly created: boolean
}

/**
 * Registers a node, or updates its registration.
 *
 * @remarks
 * The operator's settings survive: eligibility, a drain in progress, the last drain, and the node's events.
 *
 * @param node - the current node with that id, if it exists
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { NodeRecord, registerNode } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const known = NodeRecord.parse({ ID: 'n1', NodePool: 'gpu', SchedulingEligibility: 'ineligible' })
 * const again = registerNode(known, NodeRecord.parse({ ID: 'n1', NodePool: 'gpu' }), env)
 * unwrap(again).SchedulingEligibility // 'ineligible'
 * ```
 */
export function registerNode(
  node: NodeRecord | undefined,
  input: NodeRecord,
  env: Env,
): Outcome<NodeRecord | undefined, NodeRecord, NodeRegistered> {
  checkArguments('input env', input, env)
  const pool = input.NodePool === '' ? 'default' : input.NodePool
  const decided = node && {
    SchedulingEligibility: node.SchedulingEligibility,
    DrainStrategy: node.DrainStrategy,
    LastDrain: node.LastDrain,
    Events: node.Events,
  }
  const StatusUpdatedAt = Math.floor(env.now / 1000)
  const next: NodeRecord = Object.assign({}, input, { NodePool: pool, StatusUpdatedAt }, decided)
  const event: NodeRegistered = { type: 'node.registered', node: next.ID, pool, created: node === undefined }
  return { ok: true, state: next, value: next, events: [event] }
}
