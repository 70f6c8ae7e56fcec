import { describe, expect, it } from 'vitest'
import { given } from './harness.ts'

const TaskGroups = [{ Name: 'g', Count: 2, Tasks: [{ Name: 't' }] }]
interface Metrics {
  readonly Gauges: readonly {
    readonly Name: string
    readonly Value: number
    readonly Labels: { readonly status?: string }
  }[]
}

describe('the metrics of a cluster', () => {
  const records = {
    nodes: [{ ID: 'n1' }, { ID: 'n2', Status: 'down' }],
    jobs: [
      { ID: 'web', TaskGroups, JobSummary: { Summary: { g: { Running: 2, Failed: 1 } } } },
      { ID: 'old', TaskGroups, Stop: true },
    ],
    evaluations: [
      { ID: 'e1', JobID: 'web', Status: 'complete' },
      { ID: 'e2', JobID: 'web', Status: 'blocked' },
    ],
    deployments: [{ ID: 'd1', JobID: 'web', Status: 'running' }],
  }

  it('count everything by its status', async () => {
    const { get } = await given(records)
    const { Gauges, ...rest } = (await get('/v1/metrics')).json as Metrics
    expect(rest).toEqual({ Timestamp: '2026-01-01T00:00:00.000Z', Counters: [], Points: [], Samples: [] })
    const value = (name: string, status?: string) =>
      Gauges.find(({ Name, Labels }) => Name === `scheduler.${name}` && Labels.status === status)?.Value
    expect([value('nodes', 'ready'), value('nodes', 'down'), value('nodes', 'initializing')]).toEqual([
      1, 1, 0,
    ])
    expect([value('jobs', 'running'), value('jobs', 'dead')]).toEqual([1, 1])
    expect([value('allocations', 'running'), value('allocations', 'failed')]).toEqual([2, 1])
    expect([value('evaluations', 'complete'), value('evaluations', 'blocked')]).toEqual([1, 1])
    expect(value('deployments', 'running')).toBe(1)
    expect(value('blocking_queries')).toBe(0)
  })

  it('are text for Prometheus where that is asked for, each series with its type once', async () => {
    const { get } = await given(records)
    const { text, headers } = await get('/v1/metrics?format=prometheus')
    expect(headers.get('content-type')).toContain('text/plain; version=0.0.4')
    expect(text).toContain('# TYPE scheduler_jobs gauge\nscheduler_jobs{status="pending"} 0\n')
    expect(text).toContain('\nscheduler_nodes{status="down"} 1\n')
    const types = [...text.matchAll(/# TYPE (\S+)/g)].map(([, name]) => name)
    expect(new Set(types).size).toBe(types.length)
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# TYPE scheduler_\w+ gauge|scheduler_\w+(\{status="\w+"\})? \d+)$/)
  })

  it('are in no other form, and ask for agent:read', async () => {
    const { get } = await given({}, { managementToken: 'm' })
    expect((await get('/v1/metrics')).status).toBe(403)
    const as = { headers: { 'X-Scheduler-Token': 'm' } }
    expect((await get('/v1/metrics', as)).status).toBe(200)
    expect((await get('/v1/metrics?format=xml', as)).status).toBe(400)
  })
})
