import { describe, expect, it } from 'vitest'
import { effectiveWait } from '../../src/scheduler/index.ts'
import { given } from './harness.ts'

const pool = (Name: string, Description = '') => ({
  Name,
  Description,
  Meta: null,
  SchedulerConfiguration: null,
})

/** Lets everything that can run without time passing run. */
const settle = async () => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
}

describe('how long a blocking query waits', () => {
  it.each([
    [undefined, 0, 300_000],
    [0, 0, 300_000],
    [-5, 0, 300_000],
    [10_000, 0, 10_000],
    [10_000, 0.999_999, 10_625],
    [3_600_000, 0, 600_000],
    [3_600_000, 1, 637_500],
  ])('asked for %s ms, at %f of the addition: %i ms', (asked, fraction, expected) => {
    expect(Math.round(effectiveWait(asked, fraction))).toBe(expected)
  })
})

describe('a blocking query', () => {
  it('waits no longer than the maximum by default', async () => {
    // Without types one can leave the usual time out.
    const { get, clock, scheduler } = await given({}, { waits: { maxMs: 1600 } as never })
    const waiting = get('/v1/node/pools?index=1')
    await settle()
    await clock.advance(1599)
    expect(scheduler.waiting()).toBe(1)
    await clock.advance(101)
    expect((await waiting).index).toBe(1)
  })

  it('with an index that has passed already answers immediately', async () => {
    const { get } = await given({ pools: [{ Name: 'gpu' }] })
    expect((await get('/v1/node/pools?index=1')).index).toBe(2)
    expect((await get('/v1/node/pools?index=0&wait=10s')).index).toBe(2)
  })

  it('waits for a change, and answers with it', async () => {
    const { get, scheduler } = await given()
    const waiting = get('/v1/node/pools?index=1')
    await settle()
    expect(scheduler.waiting()).toBe(1)
    await scheduler.upsertPool(pool('gpu'))
    const answer = await waiting
    expect(answer.index).toBe(2)
    expect(answer.text).toContain('"gpu"')
    expect(scheduler.waiting()).toBe(0)
  })

  it('answers with the current state when its time is up, at most a sixteenth late', async () => {
    const { get, clock, scheduler } = await given()
    const waiting = get('/v1/node/pools?index=1&wait=16s')
    await settle()
    await clock.advance(15_999)
    expect(scheduler.waiting()).toBe(1)
    await clock.advance(1_001)
    expect((await waiting).index).toBe(1)
  })

  it('waits five minutes by default, and ten at most', async () => {
    const { get, clock, scheduler } = await given()
    const [usual, longest] = [get('/v1/jobs?index=1'), get('/v1/nodes?index=1&wait=24h')]
    await settle()
    await clock.advance(299_999)
    expect(scheduler.waiting()).toBe(2)
    await clock.advance(18_751)
    await usual
    expect(scheduler.waiting()).toBe(1)
    await clock.advance(281_249)
    expect(scheduler.waiting()).toBe(1)
    await clock.advance(37_501)
    await longest
  })

  it('sleeps on while others are written', async () => {
    const { get, scheduler } = await given({ pools: [{ Name: 'gpu' }], jobs: [{ ID: 'web' }] })
    const waiting = [
      get('/v1/jobs?index=99'),
      get('/v1/nodes?index=99'),
      get('/v1/deployments?index=99&namespace=prod'),
      get('/v1/node/pool/gpu?index=99'),
      get('/v1/node/pool/gpu/nodes?index=99'),
      get('/v1/node/pool/gpu/jobs?index=99'),
    ]
    await settle()
    for (let write = 0; write < 120; write += 1) await scheduler.upsertPool(pool('cpu', String(write)))
    await settle()
    expect(scheduler.waiting()).toBe(waiting.length)
    scheduler.drain()
    await Promise.all(waiting)
  })

  it('on one pool is woken by its change and by its end', async () => {
    const { get, scheduler } = await given({ pools: [{ Name: 'gpu' }] })
    const changed = get('/v1/node/pool/gpu?index=2')
    await settle()
    await scheduler.upsertPool(pool('gpu', 'new'))
    const { index, text } = await changed
    expect(text).toContain('"new"')
    const gone = get(`/v1/node/pool/gpu?index=${index}`)
    await settle()
    await scheduler.deletePool('gpu')
    expect((await gone).status).toBe(404)
  })

  it('on a pool that does not exist is answered when one appears', async () => {
    const { get, scheduler } = await given()
    const waiting = get('/v1/node/pool/gpu?index=1')
    await settle()
    await scheduler.upsertPool(pool('gpu'))
    expect((await waiting).status).toBe(200)
  })

  it('on what the caller may not see is refused immediately', async () => {
    const { get } = await given({ deployments: [{ ID: 'd1' }] }, { acl: true })
    expect((await get('/v1/deployment/d1?index=99')).status).toBe(403)
    expect((await get('/v1/jobs?index=99')).status).toBe(403)
  })

  it('with an invalid filter is refused immediately', async () => {
    const { get } = await given()
    expect((await get('/v1/jobs?index=99&filter=Bogus==1')).status).toBe(400)
  })

  it('with an index from another life waits until it is passed or its time is up', async () => {
    const { get, clock } = await given()
    const waiting = get('/v1/jobs?index=18446744073709551615&wait=1s')
    await settle()
    await clock.advance(2_000)
    expect((await waiting).index).toBe(1)
  })

  it('ends with the connection', async () => {
    const { scheduler } = await given()
    const gone = new AbortController()
    const waiting = scheduler.fetch(new Request('http://x/v1/node/pools?index=1', { signal: gone.signal }))
    await settle()
    expect(scheduler.waiting()).toBe(1)
    gone.abort()
    await waiting
    expect(scheduler.waiting()).toBe(0)
  })

  it('rejects with the reason when its caller gives up', async () => {
    const { scheduler } = await given()
    const gone = new AbortController()
    const waiting = scheduler.listPools({ index: 1, signal: gone.signal })
    await settle()
    gone.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  it('is answered with the current state when the server drains, and none waits after that', async () => {
    const { get, scheduler } = await given()
    const waiting = get('/v1/node/pools?index=1')
    await settle()
    scheduler.drain()
    expect((await waiting).index).toBe(1)
    expect((await get('/v1/node/pools?index=1')).index).toBe(1)
  })
})

describe('ten thousand identical blocking queries', () => {
  it('get one and the same answer from one write', async () => {
    const { scheduler } = await given()
    const waiting = Array.from({ length: 10_000 }, () => scheduler.listPools({ index: 1 }))
    await settle()
    expect(scheduler.waiting()).toBe(10_000)
    await scheduler.upsertPool(pool('gpu'))
    const answers = await Promise.all(waiting)
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]?.ok && answers[0].value.length).toBe(3)
  })

  it('each keep their own patience', async () => {
    const { scheduler, clock } = await given()
    const short = scheduler.listPools({ index: 1, waitMs: 1_000 })
    const long = scheduler.listPools({ index: 1, waitMs: 60_000 })
    await settle()
    await clock.advance(2_000)
    await short
    expect(scheduler.waiting()).toBe(1)
    await scheduler.upsertPool(pool('gpu'))
    const answer = await long
    expect(answer.ok && answer.index).toBe(2)
  })
})

describe('a watcher that follows the index', () => {
  it('never misses a final state, however writes and reads interleave', async () => {
    const { scheduler } = await given()
    const seen: number[] = []
    let index = 1
    const watch = (async () => {
      while (index < 201) {
        const answer = await scheduler.listPools({ index })
        if (!answer.ok) throw new Error(answer.refusal.message)
        expect(answer.index).toBeGreaterThan(index)
        index = answer.index
        seen.push(index)
      }
    })()
    for (let write = 0; write < 200; write += 1) {
      await scheduler.upsertPool(pool('gpu', String(write)))
      if (write % 7 === 0) await settle()
    }
    await watch
    expect(seen.at(-1)).toBe(201)
  })
})
