import { describe, expect, it } from 'vitest'
import { completeDrain, drainNode, setEligibility } from '../../../src/scheduler/nodes/drain.ts'
import { NodeRecord } from '../../../src/scheduler/nodes/model.ts'
import { registerNode } from '../../../src/scheduler/nodes/register.ts'
import { moveNode } from '../../../src/scheduler/nodes/status.ts'
import { testClock } from '../../../src/testing/index.ts'

const env = testClock({ now: Date.UTC(2026, 0, 1) }).env()
const node = (over: object = {}) => NodeRecord.parse({ ID: 'n1', ...over })
const state = <State>(
  outcome: { readonly ok: true; readonly state: State } | { readonly ok: false },
): State => {
  if (!outcome.ok) throw new Error('refused')
  return outcome.state
}

describe('a node', () => {
  it.each([
    ['ready', 'lose', 'down'],
    ['ready', 'disconnect', 'disconnected'],
    ['disconnected', 'ready', 'initializing'],
    ['disconnected', 'lose', 'down'],
    ['initializing', 'ready', 'ready'],
    ['down', 'ready', 'ready'],
  ] as const)('that is %s and hears %s becomes %s', (Status, verb, to) => {
    const moved = state(moveNode(node({ Status }), { verb }, env))
    expect([moved.Status, moved.StatusUpdatedAt]).toEqual([to, env.now / 1000])
  })

  it('that is down cannot be disconnected', () => {
    expect(moveNode(node({ Status: 'down' }), { verb: 'disconnect' }, env)).toMatchObject({
      ok: false,
      refusal: { code: 'illegal_node_move' },
    })
  })

  it('is not written again by a heartbeat that tells nothing new', () => {
    const ready = node({ Status: 'ready' })
    expect(state(moveNode(ready, { verb: 'ready' }, env))).toBe(ready)
  })

  it("keeps the operator's decisions when it registers again", () => {
    const draining = state(drainNode(node(), { spec: { deadline: 0, ignoreSystemJobs: false } }, env))
    const again = state(registerNode(draining, node({ Attributes: { 'kernel.name': 'linux' } }), env))
    expect(again).toMatchObject({
      SchedulingEligibility: 'ineligible',
      DrainStrategy: draining.DrainStrategy,
      Attributes: { 'kernel.name': 'linux' },
    })
  })

  it('without a pool goes to the default one', () => {
    expect(state(registerNode(undefined, node({ NodePool: '' }), env))?.NodePool).toBe('default')
  })
})

describe('draining a node', () => {
  const hour = 3_600_000_000_000
  it('makes it ineligible until a deadline', () => {
    const draining = state(
      drainNode(node(), { spec: { deadline: hour, ignoreSystemJobs: true }, meta: { why: 'disk' } }, env),
    )
    expect(draining).toMatchObject({
      SchedulingEligibility: 'ineligible',
      DrainStrategy: { ForceDeadline: '2026-01-01T01:00:00.000Z', StartedAt: '2026-01-01T00:00:00.000Z' },
      LastDrain: { Status: 'draining', Meta: { why: 'disk' } },
    })
  })

  it('leaves it ineligible when it ends, unless it is told otherwise', () => {
    const draining = state(drainNode(node(), { spec: { deadline: -1, ignoreSystemJobs: false } }, env))
    const ended = state(drainNode(draining, { spec: null }, env))
    expect(ended).toMatchObject({
      SchedulingEligibility: 'ineligible',
      DrainStrategy: null,
      LastDrain: { Status: 'canceled' },
    })
    expect(state(drainNode(draining, { spec: null, markEligible: true }, env)).SchedulingEligibility).toBe(
      'eligible',
    )
    expect(state(completeDrain(draining, {}, env))).toMatchObject({
      DrainStrategy: null,
      LastDrain: { Status: 'complete' },
    })
  })

  it('cannot end what has not begun', () => {
    expect(completeDrain(node(), {}, env)).toMatchObject({
      ok: false,
      refusal: { code: 'node_is_not_draining' },
    })
    const idle = node()
    expect(state(drainNode(idle, { spec: null }, env))).toBe(idle)
  })

  it('and making eligible exclude one another', () => {
    const draining = state(drainNode(node(), { spec: { deadline: 0, ignoreSystemJobs: false } }, env))
    expect(setEligibility(draining, { eligibility: 'eligible' }, env)).toMatchObject({
      ok: false,
      refusal: {
        code: 'node_is_draining',
        message: "can not set node's scheduling eligibility to eligible while it is draining",
      },
    })
    const eligible = node()
    expect(state(setEligibility(eligible, { eligibility: 'eligible' }, env))).toBe(eligible)
    expect(state(setEligibility(eligible, { eligibility: 'ineligible' }, env)).SchedulingEligibility).toBe(
      'ineligible',
    )
  })
})
