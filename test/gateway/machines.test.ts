import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ConnectionVerb,
  connectionLifecycle,
  countConnection,
  endGrace,
  finishShutdown,
  judgeHealth,
  moveConnection,
  newWorker,
  retryDelayMs,
  type Shutdown,
  serving,
  signalShutdown,
  startWorker,
  stopWorker,
  type Worker,
} from '../../src/gateway/index.ts'

const at = (now: number) => ({ now, newId: () => '' })
const stateOf = <State>(
  outcome: { readonly ok: true; readonly state: State } | { readonly ok: false },
): State => {
  if (!outcome.ok) throw new Error('refused')
  return outcome.state
}

describe('the way down', () => {
  const draining = stateOf(signalShutdown(serving, { graceMs: 3000 }, at(1000)))

  it('begins with the grace period where one is configured', () => {
    expect(draining).toEqual({ phase: 'draining', graceEndsAt: 4000 })
  })

  it('begins with shutdown itself where none is', () => {
    expect(stateOf(signalShutdown(serving, { graceMs: 0 }, at(0)))).toEqual({
      phase: 'stopping',
      graceEndsAt: null,
    })
  })

  it('starts shutdown when the grace is over, not before', () => {
    expect(stateOf(endGrace(draining, {}, at(3999)))).toBe(draining)
    expect(stateOf(endGrace(draining, {}, at(4000)))).toEqual({ phase: 'stopping', graceEndsAt: null })
  })

  it('ends immediately on a second signal, in the grace or after it', () => {
    const stopping = stateOf(endGrace(draining, {}, at(4000)))
    for (const state of [draining, stopping])
      expect(stateOf(signalShutdown(state, { graceMs: 3000 }, at(1500))).phase).toBe('stopped')
  })

  it('is done when shutdown is, and cannot be done before it began', () => {
    const stopping = stateOf(signalShutdown(serving, { graceMs: 0 }, at(0)))
    expect(stateOf(finishShutdown(stopping, {}, at(1))).phase).toBe('stopped')
    for (const state of [serving, draining])
      expect(finishShutdown(state, {}, at(1))).toMatchObject({
        ok: false,
        refusal: { code: 'not_shutting_down' },
      })
  })

  it('never turns back, for any signals and clock', () => {
    const order = ['serving', 'draining', 'stopping', 'stopped']
    const moves = fc.array(
      fc.record({ verb: fc.constantFrom('signal', 'end', 'finish'), now: fc.nat(9), graceMs: fc.nat(5) }),
    )
    fc.assert(
      fc.property(moves, (all) => {
        let state: Shutdown = serving
        for (const { verb, now, graceMs } of all) {
          const outcome =
            verb === 'signal'
              ? signalShutdown(state, { graceMs }, at(now))
              : verb === 'end'
                ? endGrace(state, {}, at(now))
                : finishShutdown(state, {}, at(now))
          if (!outcome.ok) continue
          expect(order.indexOf(outcome.state.phase)).toBeGreaterThanOrEqual(order.indexOf(state.phase))
          expect(outcome.state.graceEndsAt === null).toBe(outcome.state.phase !== 'draining')
          state = outcome.state
        }
      }),
    )
  })
})

describe('a worker', () => {
  it('is unknown, then active, then shut down permanently', () => {
    expect(newWorker).toMatchObject({ state: 'unknown', connection: 'IDLE' })
    const active = stateOf(startWorker(newWorker, {}, at(0)))
    expect(active.state).toBe('active')
    const stopped = stateOf(stopWorker(active, {}, at(0)))
    expect(stopped).toMatchObject({ state: 'shutdown', connection: 'SHUTDOWN' })
    expect(startWorker(stopped, {}, at(0))).toMatchObject({ ok: false, refusal: { code: 'worker_stopped' } })
  })

  const afterVerbs = (...verbs: readonly ConnectionVerb[]): Worker =>
    verbs.reduce((worker, verb) => stateOf(moveConnection(worker, { verb }, at(100))), newWorker)

  it('waits longer after each failure in a row, and starts afresh once connected', () => {
    expect(afterVerbs('connect', 'fail')).toMatchObject({
      connection: 'TRANSIENT_FAILURE',
      failures: 1,
      retryAt: 1100,
    })
    expect(afterVerbs('connect', 'fail', 'retry', 'fail').retryAt).toBe(1700)
    expect(afterVerbs('connect', 'fail', 'retry')).toMatchObject({ connection: 'CONNECTING', retryAt: null })
    expect(afterVerbs('connect', 'fail', 'retry', 'succeed', 'fail').retryAt).toBe(1100)
    expect([1, 2, 3, 10, 12, 500].map(retryDelayMs)).toEqual([1000, 1600, 2560, 68719, 120_000, 120_000])
  })

  const verbs = ['connect', 'succeed', 'fail', 'rest', 'retry', 'shutdown'] as const
  it.each(Object.keys(connectionLifecycle) as (keyof typeof connectionLifecycle)[])(
    'moves its channel from %s as the table says and no other way',
    (from) => {
      for (const verb of verbs) {
        const outcome = moveConnection({ ...newWorker, connection: from }, { verb }, at(0))
        const row: Readonly<Record<string, string>> = connectionLifecycle[from]
        if (row[verb]) expect(outcome).toMatchObject({ ok: true, value: row[verb] })
        else if (verb === 'shutdown')
          expect(outcome).toMatchObject({ ok: true, value: 'SHUTDOWN', events: [] })
        else expect(outcome).toMatchObject({ ok: false, refusal: { code: 'illegal_connection_move' } })
      }
    },
  )

  it('counts sessions that have a connection, with any names', () => {
    let worker = newWorker
    for (const [session, change] of [
      ['s1', 1],
      ['s1', 1],
      ['__proto__', 1],
      ['s1', -1],
      ['s2', 1],
      ['s2', -1],
    ] as const)
      worker = stateOf(countConnection(worker, { session, change }, at(0)))
    expect(Object.entries(worker.sessions).sort()).toEqual([
      ['__proto__', 1],
      ['s1', 1],
    ])
    expect(countConnection(worker, { session: 'constructor', change: -1 }, at(0))).toMatchObject({
      ok: false,
    })
  })
})

describe('health', () => {
  const [up, down] = [true, false].map((each) => ({ shutdown: serving, up: each }))
  const draining = { shutdown: stateOf(signalShutdown(serving, { graceMs: 1 }, at(0))), up: true }

  it.each([
    ['a controller that is up', { controller: up }, 200],
    ['a controller that is down', { controller: down }, 503],
    ['a draining controller', { controller: draining }, 503],
    ['a draining controller with a worker', { controller: draining, worker: newWorker }, 503],
    ['a worker alone', { worker: newWorker }, 200],
  ])('of %s is %o → %i', (_, parts, status) => {
    expect(judgeHealth(parts, { workerInfo: false })).toEqual({ status, worker: undefined })
  })

  it('tells about the worker only when asked', () => {
    expect(judgeHealth({ controller: draining, worker: newWorker }, { workerInfo: true })).toEqual({
      status: 503,
      worker: newWorker,
    })
    expect(judgeHealth({ controller: up }, { workerInfo: true })).toEqual({ status: 200, worker: undefined })
  })

  it('is nothing at all where there is neither', () => {
    expect(judgeHealth({}, { workerInfo: true })).toBeUndefined()
  })
})
