import { describe, expect, it } from 'vitest'
import { NodeRecord } from '../../../src/scheduler/index.ts'
import { memo } from '../../../src/scheduler/service/read/memo.ts'
import { given } from '../harness.ts'

const job = (ID: string, over: object = {}) => ({
  ID,
  Meta: { team: 'web' },
  TaskGroups: [{ Name: 'app', Count: 1, Tasks: [{ Name: 't' }] }],
  ...over,
})
const cluster = () =>
  given(
    {
      nodes: [
        NodeRecord.parse({
          ID: 'n1',
          NodeResources: { Cpu: { CpuShares: 9000 }, Memory: { MemoryMB: 9000 } },
        }),
      ],
      jobs: ['a', 'b', 'c'].map((id) => job(id)),
    },
    { place: true },
  )

describe('the text of a list', () => {
  it('is the JSON of what the method gives, asked once and asked again, whole and paged', async () => {
    const { scheduler, get, send } = await cluster()
    await send('POST', '/v1/jobs', { Job: job('d') })
    await scheduler.settled()
    expect(JSON.parse((await get('/v1/allocations')).text)).toHaveLength(1)
    const calls = [
      ['/v1/jobs', () => scheduler.listJobs()],
      ['/v1/jobs?meta=true', () => scheduler.listJobs({ meta: true })],
      ['/v1/jobs?per_page=2', () => scheduler.listJobs({ perPage: 2 })],
      ['/v1/node/pool/default/jobs', () => scheduler.listPoolJobs('default')],
      ['/v1/nodes', () => scheduler.listNodes()],
      ['/v1/nodes?os=true', () => scheduler.listNodes({ os: true })],
      ['/v1/allocations', () => scheduler.listAllocations()],
      ['/v1/allocations?resources=true', () => scheduler.listAllocations({ resources: true })],
      ['/v1/evaluations', () => scheduler.listEvaluations()],
    ] as const
    for (let time = 0; time < 2; time += 1)
      for (const [path, list] of calls) {
        const found = await list()
        expect((await get(path)).text, path).toBe(JSON.stringify(found.ok && found.value))
      }
  })

  it('changes with everything it shows: the job, its status, its summary', async () => {
    const { scheduler, get, send } = await cluster()
    const texts = new Set([(await get('/v1/jobs')).text])
    await send('POST', '/v1/jobs', { Job: job('b', { Priority: 70 }) })
    texts.add((await get('/v1/jobs')).text)
    await scheduler.settled()
    texts.add((await get('/v1/jobs')).text)
    await send('DELETE', '/v1/job/b')
    await scheduler.settled()
    texts.add((await get('/v1/jobs')).text)
    expect(texts.size).toBeGreaterThanOrEqual(3)
    for (const [index, text] of [...texts].entries())
      expect([index, JSON.parse(text).length]).toEqual([index, 3])
    expect(JSON.parse([...texts].at(-1) ?? '')[1]).toMatchObject({ ID: 'b', Priority: 70, Stop: true })
  })
})

describe('a stub', () => {
  it('belongs to the caller: its changes to the answer affect no other caller', async () => {
    const { scheduler, get } = await cluster()
    const { text } = await get('/v1/jobs')
    const found = await scheduler.listJobs()
    if (found.ok) Object.assign(found.value[0] ?? {}, { Name: 'changed' })
    expect((await get('/v1/jobs')).text).toBe(text)
  })

  it('shows only the fields that each caller asked for, of pages that begin with the same row', async () => {
    const { scheduler, get } = await cluster()
    const both = JSON.parse((await get('/v1/jobs')).text)
    const first = await scheduler.listJobs({ perPage: 1 })
    expect(first.ok && first.value).toEqual(both.slice(0, 1))
    const meta = JSON.parse((await get('/v1/jobs?meta=true')).text)
    expect(meta).toEqual(both.map((stub: object) => expect.objectContaining(stub)))
    expect(meta.every((stub: object) => 'Meta' in stub)).toBe(true)
    expect(JSON.parse((await get('/v1/jobs?meta=false')).text)).toEqual(both)
  })
})

describe('what was made of the most recent objects', () => {
  it('is remembered for at least as many as said and at most twice as many', () => {
    let made = 0
    const numbered = memo((_: object) => (made += 1), 4)
    const objects = Array.from({ length: 9 }, () => ({}))
    const all = objects.map(numbered)
    expect(objects.slice(-4).map(numbered)).toEqual(all.slice(-4))
    expect(made).toBe(9)
    expect(numbered(objects[0] ?? {})).toBe(10)
  })
})
