import { describe, expect, it } from 'vitest'
import { filter, given } from './harness.ts'

const ns = (time: string) => Date.parse(time) * 1e6

describe('times in filters', () => {
  const jobs = [
    { ID: 'old', SubmitTime: ns('2025-12-31T23:59:59Z') },
    { ID: 'new', SubmitTime: ns('2026-01-02T00:00:00Z') },
    { ID: 'fresh', SubmitTime: (Date.now() - 60_000) * 1e6 },
  ]
  const made = (ID: string, time: string) => ({
    ID,
    JobID: 'new',
    CreateTime: ns(time),
    ModifyTime: ns(time),
  })
  const first = '11111111-1111-4111-8111-111111111111'
  const second = '22222222-2222-4222-8222-222222222222'

  it('compare the times of jobs', async () => {
    const { ids, get } = await given({ jobs })
    expect(await ids(`/v1/jobs?${filter('SubmitTime > "2026-01-01"')}`)).toEqual(['fresh', 'new'])
    expect(await ids(`/v1/jobs?${filter('SubmitTime < 2026-01-01T00:00:00Z')}`)).toEqual(['old'])
    expect(await ids(`/v1/jobs?${filter('SubmitTime > now - 1h and SubmitTime < now')}`)).toEqual(['fresh'])
    expect(await ids(`/v1/jobs?${filter(`SubmitTime == ${ns('2026-01-02T00:00:00Z')}`)}`)).toEqual(['new'])
    const refused = await get(`/v1/jobs?${filter('SubmitTime > yesterday')}`)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('is not a time such as')
  })

  it('compare the times of evaluations and deployments', async () => {
    const { ids } = await given({
      jobs,
      evaluations: [made(first, '2025-06-01T00:00:00Z'), made(second, '2026-06-01T00:00:00Z')],
      deployments: [
        { ID: first, JobID: 'new', TaskGroups: { web: { RequireProgressBy: '2026-02-01T00:00:00Z' } } },
        { ID: second, JobID: 'new', TaskGroups: { web: {} } },
      ],
    })
    expect(await ids(`/v1/evaluations?${filter('CreateTime > "2026-01-01"')}`)).toEqual([second])
    expect(await ids(`/v1/evaluations?${filter('ModifyTime between 2025-01-01 and 2025-12-31')}`)).toEqual([
      first,
    ])
    expect(await ids(`/v1/deployments?${filter('TaskGroups.web.RequireProgressBy > 2026-01-01')}`)).toEqual([
      first,
    ])
  })
})

describe('a filter that takes long', () => {
  const TaskGroups = Array.from({ length: 100 }, (_, at) => ({
    Name: `group-${at}`,
    Tasks: [{ Name: 'task', Driver: 'exec' }],
  }))
  const jobs = Array.from({ length: 60 }, (_, at) => ({ ID: `job-${100 + at}`, TaskGroups }))
  const pairs =
    'any TaskGroups as a { any TaskGroups as b { a.Name == @b.Name and a.Count == -1 } } or Priority == 50'

  it('lets others be answered in between, and answers all the same', async () => {
    const { ids } = await given({ jobs })
    let between = 0
    let answered = false
    const others = () => {
      between += 1
      if (!answered) setImmediate(others)
    }
    const listed = ids(`/v1/jobs?${filter(pairs)}`)
    setImmediate(others)
    const found = await listed
    answered = true
    expect(found).toEqual(jobs.map(({ ID }) => ID))
    expect(between).toBeGreaterThan(2)
    // A page of it, and one that waits.
    expect(await ids(`/v1/jobs?per_page=2&${filter(pairs)}`)).toEqual(['job-100', 'job-101'])
    expect(await ids(`/v1/jobs?index=1&wait=1ms&${filter(pairs)}`)).toHaveLength(60)
  })

  it('is refused where one job takes too much', async () => {
    const { get } = await given({ jobs: jobs.slice(0, 1) })
    const triples = 'any TaskGroups as a { any TaskGroups as b { any TaskGroups as c { c.Count == -1 } } }'
    const { status, text } = await get(`/v1/jobs?${filter(triples)}`)
    expect(status).toBe(400)
    expect(text).toContain('failed to read result page: one row takes more than 200000 steps')
    expect(text).toContain('any TaskGroups as c')
  })
})
