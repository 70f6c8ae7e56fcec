import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mount } from '../../src/http/index.ts'
import { serve } from '../../src/http/node/index.ts'
import { version } from '../../src/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { killAll, removeFolders, type Server, start } from '../cli/server.ts'
import { type NomadClient, nomadClient } from './nomad-fixture.ts'

const token = '6f0b0a4e-3c1d-4b0e-9c43-1f2d3e4a5b6c'
let server: Server
let connect: (options?: object) => NomadClient

beforeAll(async () => {
  const Client = await nomadClient()
  server = await start('--demo', '--management-token', token)
  connect = (options = {}) => new Client({ baseUrl: server.ready.scheduler.url, token, ...options })
})
afterAll(() => {
  killAll()
  removeFolders()
})

const hello = {
  ID: 'hello',
  Name: 'hello',
  Type: 'service',
  Datacenters: ['*'],
  TaskGroups: [
    {
      Name: 'web',
      Count: 2,
      Tasks: [{ Name: 'server', Driver: 'exec', Resources: { CPU: 50, MemoryMB: 32 } }],
    },
  ],
}

describe('an existing client of such schedulers', () => {
  it.each([
    ['its own token header, under an alias', {}],
    ['a bearer token', { authMethod: 'bearer' }],
  ])('reads with %s', async (_what, options) => {
    const client = connect(options)
    expect(JSON.stringify(await client.nodes.list())).toContain('"SchedulingEligibility":"eligible"')
    expect(JSON.stringify(await client.jobs.list())).toContain('"JobSummary"')
  })

  it('is turned away without a good token', async () => {
    await expect(connect({ token: 'ffffffff-3c1d-4b0e-9c43-1f2d3e4a5b6c' }).nodes.list()).rejects.toThrow()
  })

  it('registers a job, watches it run, and stops it', async () => {
    const client = connect()
    expect(await client.jobs.create(hello)).toMatchObject({ EvalID: expect.any(String) })
    expect(await client.jobs.get('hello')).toMatchObject({ ID: 'hello', Version: 0 })
    await expect.poll(() => client.jobs.summary('hello')).toMatchObject({ Summary: { web: { Running: 2 } } })
    expect(await client.jobs.allocations('hello')).toHaveLength(2)
    expect(JSON.stringify(await client.jobs.evaluations('hello'))).toContain('job-register')
    await client.jobs.stop('hello')
    expect(await client.jobs.get('hello')).toMatchObject({ Stop: true, Status: 'dead' })
    expect(JSON.stringify(await client.jobs.versions('hello'))).toContain('"Version":1')
  })

  it('asks what the server is', async () => {
    const client = connect()
    expect(await client.getVersion()).toBe(version)
    expect(await client.getClusterInfo()).toMatchObject({ region: 'global', version })
  })

  it('works with a scheduler in a program', async () => {
    const scheduler = createScheduler({ managementToken: token })
    const listening = await serve({ fetch: mount({ '/scheduler': scheduler.fetch }) })
    const client = connect({ baseUrl: `${listening.url}/scheduler` })
    expect(await client.jobs.create(hello)).toMatchObject({ EvalID: expect.any(String) })
    expect(await client.jobs.get('hello')).toMatchObject({ ID: 'hello' })
    await listening.close()
    await scheduler.close()
  })

  it('plans, scales and takes back what it registered', async () => {
    const client = connect()
    const job = { ...hello, ID: 'bye', Name: 'bye' }
    await client.jobs.create(job)
    const running = (count: number) =>
      expect
        .poll(() => client.jobs.summary('bye'))
        .toMatchObject({ Summary: { web: { Running: count, Complete: 0 } } })
    await running(2)
    expect(await client.jobs.plan({ ...job, Priority: 70 })).toMatchObject({
      Annotations: { DesiredTGUpdates: { web: { InPlaceUpdate: 2 } } },
      Diff: { Type: 'Edited', Fields: [{ Name: 'Priority', Old: '50', New: '70' }] },
    })
    await expect.poll(() => client.jobs.deployments('bye')).toMatchObject([{ Status: 'successful' }])
    await client.jobs.scale('bye', 'web', 3)
    await running(3)
    await expect
      .poll(() => client.jobs.deployments('bye'))
      .toMatchObject([{ Status: 'successful' }, { Status: 'successful' }])
    await client.jobs.update({ ...job, Priority: 70 })
    await client.jobs.stable('bye', 1)
    await client.jobs.revert('bye', 1)
    expect(await client.jobs.get('bye')).toMatchObject({
      Version: 3,
      Priority: 50,
      TaskGroups: [{ Count: 3 }],
    })
    await client.jobs.stop('bye', true)
  })

  it('dispatches and launches children', async () => {
    const client = connect()
    const batch = { ...hello, Type: 'batch' }
    await client.jobs.create({ ...batch, ID: 'letters', Name: 'letters', ParameterizedJob: {} })
    expect(await client.jobs.dispatch('letters', { to: 'ada' })).toMatchObject({
      DispatchedJobID: expect.stringMatching(/^letters\/dispatch-/),
    })
    const Periodic = { Spec: '0 3 1 1 *', SpecType: 'cron', Enabled: true }
    await client.jobs.create({ ...batch, ID: 'yearly', Name: 'yearly', Periodic })
    expect(await client.jobs.periodicForce('yearly')).toMatchObject({ EvalID: expect.any(String) })
    expect(JSON.stringify(await client.jobs.list())).toMatch(/"ID":"yearly\/periodic-\d+"/)
  })

  it('takes a node out of use and back', async () => {
    const client = connect()
    const text = JSON.stringify(await client.nodes.list())
    const id = /"ID":"([0-9a-f-]{36})"/.exec(text)?.[1] ?? ''
    await client.nodes.eligibility(id, 'ineligible')
    expect(await client.nodes.get(id)).toMatchObject({ SchedulingEligibility: 'ineligible' })
    await client.nodes.eligibility(id, 'eligible')
    expect(await client.nodes.get(id)).toMatchObject({ SchedulingEligibility: 'eligible' })
  })
})
