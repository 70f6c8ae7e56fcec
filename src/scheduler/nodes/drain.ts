import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { never, rfc3339 } from '../values/instants.ts'
import type { NodeRecord } from './model.ts'

/**
 * How to drain a node; `null` ends the drain.
 */
export interface DrainInput {
  /** `null` ends the drain. */
  readonly spec: {
    /** Nanoseconds; negative stops allocations immediately, 0 waits without limit. */
    readonly deadline: number
    readonly ignoreSystemJobs: boolean
  } | null
  /** Whether the node becomes eligible again at the end of the drain. */
  readonly markEligible?: boolean | undefined
  /** Notes, kept with the node's last drain. */
  readonly meta?: Readonly<Record<string, string>> | undefined
  /** Who requested it. */
  readonly accessorId?: string | undefined
}

/**
 * A drain began, changed or ended.
 */
export interface NodeDrained {
  readonly type: 'node.drain'
  readonly node: string
  readonly pool: string
  readonly status: 'draining' | 'complete' | 'canceled'
}

/**
 * Starts, changes or ends the drain of a node. A draining node is ineligible; its allocations leave over time.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { drainNode, NodeRecord } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const hour = 3600_000_000_000
 * const node = NodeRecord.parse({ ID: 'n1' })
 * const drained = drainNode(node, { spec: { deadline: hour, ignoreSystemJobs: true } }, env)
 * unwrapStep(drained).state.SchedulingEligibility // 'ineligible'
 * ```
 */
export function drainNode(
  node: NodeRecord,
  input: DrainInput,
  env: Env,
): Outcome<NodeRecord, { readonly draining: boolean }, NodeDrained> {
  checkArguments('node input env', node, input, env)
  const { spec } = input
  if (
    spec === null &&
    node.DrainStrategy === null &&
    !(input.markEligible && node.SchedulingEligibility === 'ineligible')
  )
    return answer(node, { draining: false })
  const at = rfc3339(env.now)
  return step(node, (draft, emit: (event: NodeDrained) => void) => {
    const startedAt = node.DrainStrategy?.StartedAt ?? at
    if (spec === null) {
      draft.DrainStrategy = null
      if (input.markEligible) draft.SchedulingEligibility = 'eligible'
    } else {
      draft.DrainStrategy = {
        Deadline: spec.deadline,
        IgnoreSystemJobs: spec.ignoreSystemJobs,
        ForceDeadline: spec.deadline > 0 ? rfc3339(env.now + spec.deadline / 1e6) : never,
        StartedAt: startedAt,
      }
      draft.SchedulingEligibility = 'ineligible'
    }
    if (spec === null && node.DrainStrategy === null) return { draining: false }
    const status = spec === null ? 'canceled' : 'draining'
    draft.LastDrain = lastDrain(node, input, { status, startedAt, at })
    emit({ type: 'node.drain', node: node.ID, pool: node.NodePool, status })
    return { draining: spec !== null }
  })
}

/**
 * Ends a drain that waits for nothing more. The node stays ineligible.
 *
 * @returns `node_is_not_draining` if there is no drain to end
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { completeDrain, drainNode, NodeRecord } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const node = NodeRecord.parse({ ID: 'n1' })
 * const draining = unwrapStep(drainNode(node, { spec: { deadline: 0, ignoreSystemJobs: false } }, env)).state
 * const done = unwrapStep(completeDrain(draining, {}, env)).state
 * done.LastDrain?.Status // 'complete'
 * done.SchedulingEligibility // 'ineligible'
 * ```
 */
export function completeDrain(
  node: NodeRecord,
  _input: Readonly<Record<never, never>>,
  env: Env,
): Outcome<NodeRecord, { readonly draining: false }, NodeDrained, 'node_is_not_draining'> {
  checkArguments('node env', node, env)
  const strategy = node.DrainStrategy
  if (strategy === null) return refuse('node_is_not_draining', 'the node is not draining')
  const at = rfc3339(env.now)
  return step(node, (draft, emit: (event: NodeDrained) => void) => {
    draft.DrainStrategy = null
    draft.LastDrain = lastDrain(node, {}, { status: 'complete', startedAt: strategy.StartedAt, at })
    emit({ type: 'node.drain', node: node.ID, pool: node.NodePool, status: 'complete' })
    return { draining: false as const }
  })
}

const lastDrain = (
  node: NodeRecord,
  input: Pick<DrainInput, 'meta' | 'accessorId'>,
  now: {
    readonly status: 'draining' | 'complete' | 'canceled'
    readonly startedAt: string
    readonly at: string
  },
) => ({
  StartedAt: now.startedAt,
  UpdatedAt: now.at,
  Status: now.status,
  AccessorID: input.accessorId || (node.LastDrain?.AccessorID ?? ''),
  Meta: input.meta ? { ...input.meta } : node.LastDrain?.Meta ? { ...node.LastDrain.Meta } : null,
})

/**
 * A node's eligibility was changed.
 */
export interface EligibilityChanged {
  readonly type: 'node.eligibility'
  readonly node: string
  readonly pool: string
  readonly eligibility: 'eligible' | 'ineligible'
}

/**
 * Sets whether the scheduler may use a node for new work.
 *
 * @returns whether anything changed, or `node_is_draining`
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { NodeRecord, setEligibility } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const node = NodeRecord.parse({ ID: 'n1', Name: 'gpu-1' })
 * const set = setEligibility(node, { eligibility: 'ineligible' }, env)
 * unwrapStep(set).state.SchedulingEligibility // 'ineligible'
 * ```
 */
export function setEligibility(
  node: NodeRecord,
  input: { readonly eligibility: 'eligible' | 'ineligible' },
  _env?: Env,
): Outcome<NodeRecord, { readonly changed: boolean }, EligibilityChanged, 'node_is_draining'> {
  checkArguments('node input', node, input)
  const { eligibility } = input
  if (node.DrainStrategy !== null && eligibility === 'eligible')
    return refuse(
      'node_is_draining',
      "can not set node's scheduling eligibility to eligible while it is draining",
    )
  if (node.SchedulingEligibility === eligibility) return answer(node, { changed: false })
  return step(node, (draft, emit: (event: EligibilityChanged) => void) => {
    draft.SchedulingEligibility = eligibility
    emit({ type: 'node.eligibility', node: node.ID, pool: node.NodePool, eligibility })
    return { changed: true }
  })
}
