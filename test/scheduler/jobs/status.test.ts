import { expect, it } from 'vitest'
import { jobStatusOf } from '../../../src/scheduler/index.ts'

const service = { Type: 'service', Stop: false, Periodic: null, ParameterizedJob: null } as const
const run = { DesiredStatus: 'run', ClientStatus: 'running' } as const
const over = { DesiredStatus: 'stop', ClientStatus: 'complete' } as const
const nothing = { deployments: [], allocations: [], evaluations: [] }

it.each<[string, Parameters<typeof jobStatusOf>[0], Partial<Parameters<typeof jobStatusOf>[1]>]>([
  ['pending', service, {}],
  ['pending', service, { evaluations: [{ Status: 'pending' }] }],
  ['pending', service, { allocations: [over], evaluations: [{ Status: 'blocked' }] }],
  ['running', service, { allocations: [over, run], evaluations: [{ Status: 'complete' }] }],
  ['running', service, { deployments: [{ Status: 'paused' }] }],
  ['running', { ...service, Stop: true }, { allocations: [run] }],
  ['dead', { ...service, Stop: true }, {}],
  ['dead', service, { deployments: [{ Status: 'failed' }], evaluations: [{ Status: 'complete' }] }],
  ['running', { ...service, Type: 'system' }, {}],
  ['dead', { ...service, Type: 'system', Stop: true }, { allocations: [run] }],
])('a job is %s as %j with %j', (status, job, work) => {
  expect(jobStatusOf(job, { ...nothing, ...work })).toBe(status)
})
