import { describe, expect, it } from 'vitest'
import {
  createGateway,
  type GatewayEvent,
  type GatewayOptions,
  type ServiceEvent,
} from '../../src/gateway/index.ts'
import { StoreError } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'

const given = (options: GatewayOptions = {}) => {
  const clock = testClock()
  const events: ServiceEvent<GatewayEvent>[] = []
  const gateway = createGateway({
    env: clock.env,
    timers: clock.timers,
    onEvent: (event) => events.push(event),
    ...options,
  })
  const get = (path = '/health', init: RequestInit = {}) =>
    gateway.fetch(new Request(`http://ops.test${path}`, init))
  const info = async () => {
    const response = await get('/health?worker_info=1')
    const { worker_process_info } = JSON.parse(await response.text())
    return worker_process_info
  }
  return { clock, gateway, get, info, events }
}

describe('GET /health', () => {
  it('answers a healthy controller with 200 and nothing else', async () => {
    const { get } = given()
    const response = await get()
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect(response.headers.get('content-type')).toBeNull()
  })

  it('tells about a connected worker in JSON that contains READY', async () => {
    const { get } = given({ worker: true })
    const response = await get('/health?worker_info=1')
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await response.text()).toBe(
      '{"worker_process_info":{"state":"active","active_session_count":0,"upstream_connection_state":"READY"}}',
    )
  })

  it('stays empty without worker_info, and where there is no worker', async () => {
    expect(await (await given({ worker: true }).get()).text()).toBe('')
    expect(await (await given({ worker: true }).get('/health?worker_info=false')).text()).toBe('')
    const without = await given().get('/health?worker_info=1')
    expect([without.status, await without.text()]).toEqual([200, ''])
  })

  it.each(['maybe', '2', ''])('refuses worker_info=%j with 400', async (text) => {
    const response = await given({ worker: true }).get(`/health?worker_info=${text}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      kind: 'InvalidArgument',
      message: expect.stringContaining('worker_info'),
    })
  })

  it('answers HEAD like GET', async () => {
    const response = await given({ worker: true }).get('/health?worker_info=1', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it.each([
    ['a controller', {}, 405, 'MethodNotAllowed'],
    ['a worker alone', { controller: false, worker: true }, 501, 'Unimplemented'],
  ])('refuses POST on %s', async (_, options, status, kind) => {
    const response = await given(options).get('/health', { method: 'POST' })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ kind, message: expect.any(String) })
  })

  it.each([
    ['/', {}],
    ['/v1/health', {}],
    ['/health/', {}],
    ['/health', { controller: false }],
  ])('answers %s with 404 in a process made of %o', async (path, options) => {
    const response = await given(options).get(path)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ kind: 'NotFound' })
  })

  it('is 503 while the API server is down, 200 again when it is back', async () => {
    let up = false
    const { get } = given({ isUp: () => up })
    expect((await get()).status).toBe(503)
    up = true
    expect((await get()).status).toBe(200)
  })

  it('is 5xx when asking for the API server fails', async () => {
    const errors: unknown[] = []
    const failing = {
      isUp: () => Promise.reject(new Error('no socket')),
      onError: (error: unknown) => errors.push(error),
    }
    expect((await given(failing).get()).status).toBe(500)
    expect(errors).toEqual([new Error('no socket')])
  })

  it.each([
    ['unreachable', 503, 'Unavailable'],
    ['disk_full', 507, 'ResourceExhausted'],
  ] as const)('says what kind of trouble a store that is %s means', async (code, status, kind) => {
    const response = await given({ isUp: () => Promise.reject(new StoreError(code, 'no answer')) }).get()
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ kind })
  })
})

describe('shutting down', () => {
  it('reports 503 immediately, keeps serving for the grace period, then lets shutdown start', async () => {
    const { clock, gateway, get, info } = given({ graceMs: 3000, worker: true })
    const ended = gateway.beginShutdown()
    expect((await get()).status).toBe(503)
    expect(gateway.shutdown().phase).toBe('draining')
    expect(await info()).toMatchObject({ state: 'active', upstream_connection_state: 'READY' })
    await clock.advance(2999)
    expect(gateway.shutdown().phase).toBe('draining')
    await clock.advance(1)
    expect(await ended).toBe('elapsed')
    expect(gateway.shutdown().phase).toBe('stopping')
    expect(await info()).toMatchObject({ state: 'shutdown', upstream_connection_state: 'SHUTDOWN' })
    await gateway.close()
    expect((await get()).status).toBe(503)
  })

  it('starts immediately without a grace period', async () => {
    const { gateway, get } = given()
    expect(await gateway.beginShutdown()).toBe('elapsed')
    expect((await get()).status).toBe(503)
  })

  it('ends all waits immediately on a second signal', async () => {
    const { gateway } = given({ graceMs: 60_000 })
    const first = gateway.beginShutdown()
    expect(await gateway.beginShutdown()).toBe('forced')
    expect(await first).toBe('forced')
    expect(gateway.shutdown().phase).toBe('stopped')
  })

  it('ends its grace although the clock was set back meanwhile', async () => {
    const clock = testClock()
    let delayed = () => {}
    const late = createGateway({
      graceMs: 3000,
      env: () => ({ ...clock.env(), now: 0 }),
      timers: {
        after: (_, fn) => {
          delayed = fn
          return () => {}
        },
      },
    })
    const ended = late.beginShutdown()
    delayed()
    expect(await ended).toBe('elapsed')
    expect(late.shutdown().phase).toBe('stopping')
  })

  it('never leaves a waiter behind when it is closed', async () => {
    const { gateway, get } = given({ graceMs: 60_000 })
    const waiting = gateway.beginShutdown()
    await gateway[Symbol.asyncDispose]()
    expect(await waiting).toBe('forced')
    expect(gateway.shutdown().phase).toBe('stopped')
    expect((await get()).status).toBe(503)
  })
})

describe('the worker', () => {
  const dialling = () => {
    const attempts: { succeed: () => void; fail: () => void; signal: AbortSignal }[] = []
    const dial = (signal: AbortSignal) =>
      new Promise<void>((succeed, reject) => {
        attempts.push({ succeed, fail: () => reject(new Error('refused')), signal })
      })
    return { attempts, ...given({ worker: { dial } }) }
  }
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

  it('is CONNECTING until its upstream answers', async () => {
    const { attempts, info } = dialling()
    expect(await info()).toMatchObject({ state: 'active', upstream_connection_state: 'CONNECTING' })
    attempts[0]?.succeed()
    await settled()
    expect(await info()).toMatchObject({ upstream_connection_state: 'READY' })
  })

  it('dials again by itself after a failure, and after each more patiently', async () => {
    const { attempts, clock, info, gateway } = dialling()
    attempts[0]?.fail()
    await settled()
    expect(await info()).toMatchObject({ upstream_connection_state: 'TRANSIENT_FAILURE' })
    await clock.advance(1000)
    expect(attempts).toHaveLength(2)
    attempts[1]?.fail()
    await settled()
    await clock.advance(1000)
    expect(attempts).toHaveLength(2)
    await clock.advance(600)
    expect(attempts).toHaveLength(3)
    expect(gateway.worker()?.connection).toBe('CONNECTING')
    attempts[2]?.succeed()
    await settled()
    expect(await info()).toMatchObject({ upstream_connection_state: 'READY' })
  })

  it('dials again when a connection is lost', async () => {
    const { gateway, clock, info, events } = given({ worker: true })
    const lostAt = clock.now()
    gateway.connectionLost()
    expect(await info()).toMatchObject({ upstream_connection_state: 'TRANSIENT_FAILURE' })
    await clock.advance(1000)
    expect(await info()).toMatchObject({ upstream_connection_state: 'READY' })
    expect(events.flatMap((event) => (event.type === 'worker.connection' ? event.to : []))).toEqual([
      'CONNECTING',
      'READY',
      'TRANSIENT_FAILURE',
      'CONNECTING',
      'READY',
    ])
    expect(events.slice(-3).map(({ at }) => at - lostAt)).toEqual([0, 1000, 1000])
  })

  it('dials again after an attempt that throws before it begins', async () => {
    let attempts = 0
    const dial = (): Promise<void> => {
      attempts += 1
      if (attempts === 1) throw new Error('no such host')
      return Promise.resolve()
    }
    const { clock, info } = given({ worker: { dial } })
    await settled()
    expect(await info()).toMatchObject({ upstream_connection_state: 'TRANSIENT_FAILURE' })
    await clock.advance(1000)
    expect(await info()).toMatchObject({ upstream_connection_state: 'READY' })
  })

  it('loses only a connection that is there: one attempt at a time is under way', async () => {
    const { attempts, gateway, clock, info } = dialling()
    gateway.connectionLost()
    expect(await info()).toMatchObject({ upstream_connection_state: 'CONNECTING' })
    await clock.advance(600_000)
    expect(attempts).toHaveLength(1)
    attempts[0]?.succeed()
    await settled()
    expect(await info()).toMatchObject({ upstream_connection_state: 'READY' })
    gateway.connectionLost()
    gateway.connectionLost()
    await clock.advance(1000)
    expect(attempts).toHaveLength(2)
  })

  it('may be shut down by the listener of its failure', async () => {
    let attempts = 0
    const dial = (): Promise<void> => {
      attempts += 1
      return Promise.reject(new Error('refused'))
    }
    const states: string[] = []
    const { gateway, clock } = given({
      worker: { dial },
      onEvent: (event) => {
        if (event.type !== 'worker.connection' || event.to === 'CONNECTING') return
        states.push(`${event.to} ${gateway.worker()?.connection}`)
        if (event.to === 'TRANSIENT_FAILURE') void gateway.beginShutdown(0)
      },
    })
    await settled()
    await clock.advance(600_000)
    expect(states).toEqual(['TRANSIENT_FAILURE TRANSIENT_FAILURE', 'SHUTDOWN SHUTDOWN'])
    expect(gateway.worker()).toMatchObject({ state: 'shutdown', connection: 'SHUTDOWN', retryAt: null })
    expect(attempts).toBe(1)
  })

  it('continues when a listener throws', async () => {
    const errors: unknown[] = []
    const { info } = given({
      worker: true,
      onEvent: () => {
        throw new Error('a broken listener')
      },
      onError: (error) => errors.push(error),
    })
    expect(await info()).toMatchObject({ upstream_connection_state: 'READY' })
    expect(errors).toHaveLength(3)
  })

  it('gives up dialling when it is stopped', async () => {
    const { attempts, gateway, clock } = dialling()
    await gateway.close()
    expect(attempts[0]?.signal.aborted).toBe(true)
    attempts[0]?.fail()
    await clock.advance(600_000)
    expect(attempts).toHaveLength(1)
    expect(gateway.worker()?.connection).toBe('SHUTDOWN')
  })

  it('counts sessions while they have connections', async () => {
    const { gateway, info } = given({ worker: true })
    const [first, second] = [gateway.openConnection('s1'), gateway.openConnection('s1')]
    gateway.openConnection('s2')
    expect(await info()).toMatchObject({ active_session_count: 2, session_connections: { s1: 2, s2: 1 } })
    first()
    first()
    expect(await info()).toMatchObject({ active_session_count: 2, session_connections: { s1: 1, s2: 1 } })
    second()
    expect(await info()).toMatchObject({ active_session_count: 1, session_connections: { s2: 1 } })
  })
})

describe('two gateways', () => {
  it('do not meet', async () => {
    const [one, other] = [given(), given()]
    await one.gateway.beginShutdown()
    expect([(await one.get()).status, (await other.get()).status]).toEqual([503, 200])
  })
})
