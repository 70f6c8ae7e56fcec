import { describe, expect, it } from 'vitest'
import { JobSpec, NodeRecord } from '../../src/scheduler/index.ts'
import { given } from './harness.ts'

const node = NodeRecord.parse({ ID: 'n1' })
const job = JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't' }] }] })

describe('a method called without a compiler', () => {
  it.each([
    ['registerNode', [{ ID: 'n1' }], 'node: Name is missing: NodeRecord.parse() fills in what is left out'],
    ['registerNode', [], 'node: expected object, received undefined'],
    ['registerNode', [{ ...node, Attributes: 7 }], 'node.Attributes: expected record, received number'],
    ['registerNode', [{ ...node, Status: 'odd' }], 'node.Status: '],
    ['registerJob', [{ ID: 'web' }], 'job: Name is missing: JobSpec.parse() fills in what is left out'],
    ['registerJob', [{ ...job, ID: 5 }], 'job.ID: expected string, received number'],
    ['registerJob', [{ ...job, TaskGroups: [{}] }], 'job.TaskGroups.0.Name: expected string'],
    ['registerJob', [job, { enforceIndex: '0' }], 'call.enforceIndex: expected number, received string'],
    ['upsertPool', [{}], 'pool.Name: expected string, received undefined'],
    ['readNode', [], 'id: expected string, received undefined'],
    ['listJobs', [null], 'call: expected object, received null'],
    ['listJobs', [{ filter: 5 }], 'call.filter: expected string, received number'],
    ['listJobs', [{ token: null }], 'call.token: expected string, received null'],
    ['drainNode', ['n1', {}], 'input.spec: expected object, received undefined'],
    ['setNodeEligibility', ['n1', 'odd'], 'eligibility: '],
    ['updateAllocations', [[{}]], 'updates.0.ID: expected string, received undefined'],
    ['revertJob', ['web'], 'input: expected object, received undefined'],
  ] as const)('%s%j rejects with what is wrong', async (name, args, text) => {
    const { scheduler } = await given()
    const method: unknown = scheduler[name]
    if (typeof method !== 'function') throw new Error(`${name} is no method`)
    const answer: unknown = Reflect.apply(method, undefined, args)
    await expect(answer).rejects.toThrow(TypeError)
    await expect(answer).rejects.toThrow(`${name}: ${text}`)
    expect((await scheduler.listNodes()).ok).toBe(true)
  })
})
