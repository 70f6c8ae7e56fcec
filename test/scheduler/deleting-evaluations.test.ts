import { describe, expect, it } from 'vitest'
import { given } from './harness.ts'

const records = () => ({
  jobs: [{ ID: 'web', Status: 'running' }],
  evaluations: [
    ...Array.from({ length: 40 }, (_, at) => ({ ID: `over-${at}`, JobID: 'web', Status: 'complete' })),
    { ID: 'open', JobID: 'web', Status: 'pending' },
    { ID: 'other', JobID: 'db', Status: 'failed' },
  ],
})
const filtered = (expression: string) => `/v1/evaluations?filter=${encodeURIComponent(expression)}`

describe('deleting evaluations', () => {
  it('by their IDs', async () => {
    const { send, get, ids } = await given(records())
    const EvalIDs = ['over-1', 'over-2', 'over-2']
    expect((await send('DELETE', '/v1/evaluations', { EvalIDs })).json).toMatchObject({ Count: 2 })
    expect((await get('/v1/evaluation/over-1')).status).toBe(404)
    expect(await ids('/v1/evaluations')).toHaveLength(40)
  })

  it('by a filter, which leaves out what is not over', async () => {
    const { send, ids } = await given(records())
    const gone = await send('DELETE', filtered('JobID == "web"'))
    expect(gone.json).toMatchObject({ Count: 40, Index: gone.index })
    expect(await ids('/v1/evaluations?reverse=true')).toEqual(['other', 'open'])
  })

  it.each([
    [{ EvalIDs: ['over-1', 'none'] }, '/v1/evaluations', 404],
    [{ EvalIDs: ['over-1', 'open'] }, '/v1/evaluations', 400],
    [{ EvalIDs: ['over-1'] }, filtered('JobID == "web"'), 400],
    [{}, '/v1/evaluations', 400],
    [undefined, '/v1/evaluations', 400],
    [{ EvalIDs: 7 }, '/v1/evaluations', 400],
    [undefined, filtered('Bogus == "web"'), 400],
  ])('is refused for %j by %s with %i, and keeps all', async (body, path, status) => {
    const { send, ids } = await given(records())
    expect((await send('DELETE', path, body)).status).toBe(status)
    expect(await ids('/v1/evaluations')).toHaveLength(42)
  })

  it('needs a pause where they are processed', async () => {
    const { scheduler, send } = await given(records(), { place: true })
    const drop = () => send('DELETE', '/v1/evaluations', { EvalIDs: ['over-1'] })
    const refused = await drop()
    expect([refused.status, refused.text]).toEqual([
      400,
      'eval broker is enabled; eval broker must be paused to delete evals',
    ])
    await scheduler.writeSchedulerConfiguration({ PauseEvalBroker: true })
    expect((await drop()).json).toMatchObject({ Count: 1 })
  })

  it('asks for management', async () => {
    const { send } = await given(
      {
        ...records(),
        policies: [{ Name: 'w', Rules: 'namespace "default" { policy = "write" }' }],
        tokens: [{ SecretID: 'w', Type: 'client', Policies: ['w'] }],
      },
      { acl: true },
    )
    const as = { headers: { 'X-Scheduler-Token': 'w' } }
    expect((await send('DELETE', '/v1/evaluations', { EvalIDs: ['over-1'] }, as)).status).toBe(403)
  })
})
