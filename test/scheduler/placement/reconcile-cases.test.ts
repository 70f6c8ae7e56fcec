import { describe, expect, it } from 'vitest'
import { DeploymentState } from '../../../src/scheduler/deployments/model.ts'
import { AllocationRecord, JobSpec, type ReconcileState, reconcile } from '../../../src/scheduler/index.ts'

const now = Date.UTC(2026, 0, 1)
type Deployment = NonNullable<ReconcileState['deployment']>

/** What a case starts from: a job at version 1 with one group. */
interface Given {
  readonly count: number
  /** Numbered by the order of these runs. */
  readonly runs: readonly (readonly [count: number, what: keyof typeof kinds])[]
  readonly update?: object
  readonly type?: 'service' | 'batch'
  readonly deployment?: {
    readonly status?: Deployment['Status']
    readonly canaries?: number
    readonly promoted?: boolean
  }
}

const old = { JobVersion: 0 }
const mine = { DeploymentID: 'd' }
const judged = (Healthy: boolean | null, Canary = false) => ({ DeploymentStatus: { Healthy, Canary } })
const failedLongAgo = { ClientStatus: 'failed', ModifyTime: (now - 7_200_000) * 1e6 }
const lost = { ClientStatus: 'lost', DesiredStatus: 'stop', DesiredTransition: { Migrate: true } }

/** The allocations that cases consist of. */
const kinds = {
  running: {},
  'on a draining node': { NodeID: 'draining' },
  'lost with their node': lost,
  'stopped by a user': {
    ClientStatus: 'complete',
    DesiredStatus: 'stop',
    DesiredTransition: { Migrate: true },
  },
  completed: { ClientStatus: 'complete' },
  'failed long ago': failedLongAgo,
  'failed just now': { ClientStatus: 'failed', ModifyTime: now * 1e6 },
  'failed just now, and to be rescheduled by force': {
    ClientStatus: 'failed',
    ModifyTime: now * 1e6,
    DesiredTransition: { Migrate: false, ForceReschedule: true },
  },
  'failed, of the deployment': { ...failedLongAgo, ...mine, ...judged(false) },
  'of other tasks': old,
  'of other tasks, on a draining node': { ...old, NodeID: 'draining' },
  'of other tasks, failed long ago': { ...old, ...failedLongAgo },
  'of the same tasks': { ...old, TaskGroup: 'app', NodeID: 'same' },
  'healthy, of the deployment': { ...mine, ...judged(true) },
  'not judged yet, of the deployment': { ...mine, ...judged(null) },
  'healthy canaries': { ...mine, ...judged(true, true) },
  'canaries that are not judged yet': { ...mine, ...judged(null, true) },
  'of a group that is no more': { TaskGroup: 'gone' },
} as const satisfies Readonly<Record<string, object>>

function decided({ count, runs, update, type = 'service', deployment }: Given) {
  const job = JobSpec.parse({
    ID: 'web',
    Type: type,
    Version: 1,
    TaskGroups: [
      {
        Name: 'app',
        Count: count,
        Update: update ?? null,
        Migrate: { MaxParallel: 100, HealthCheck: 'task_states', MinHealthyTime: 0 },
        ReschedulePolicy: { Delay: 60e9, DelayFunction: 'constant', Unlimited: true },
      },
    ],
  })
  let at = 0
  const allocations = runs.flatMap(([size, what]) =>
    Array.from({ length: size }, (_, nth) => {
      // Canaries have the names of those that they are to replace.
      const number = what.includes('canaries') ? nth : at++
      return AllocationRecord.parse({
        ID: `${what} ${nth}`,
        Name: `web.app[${number}]`,
        TaskGroup: 'app',
        NodeID: `n${number}`,
        JobVersion: 1,
        ClientStatus: 'running',
        ...kinds[what],
      })
    }),
  )
  const { status = 'running', canaries = 0, promoted = false } = deployment ?? {}
  const app = DeploymentState.parse({
    DesiredTotal: count,
    DesiredCanaries: canaries,
    Promoted: promoted,
    ProgressDeadline: 600e9,
  })
  const works = reconcile(
    { job, allocations, ...(deployment && { deployment: { ID: 'd', Status: status, TaskGroups: { app } } }) },
    {
      leaves: (id) => id === 'draining',
      unchanged: (each) => each.JobVersion === 1 || each.NodeID === 'same',
    },
    { now },
  )
  const total = { place: 0, replace: 0, stop: 0, update: 0, later: 0, canaries: 0 }
  for (const work of works) {
    const replaced = Math.min(work.place, work.replace.length)
    total.replace += replaced
    if (work.canary) total.canaries += work.place - replaced
    else total.place += work.place - replaced
    total.stop += work.stop.length
    total.update += work.update.length
    total.later += work.later.length
  }
  return Object.fromEntries(Object.entries(total).filter(([, number]) => number > 0))
}

const rolling = { MaxParallel: 4 }
const trying = { MaxParallel: 2, Canary: 2 }

describe('what a job wants done, in the cases of the scheduler whose API this is', () => {
  it.each<[string, Given, object]>([
    ['nothing runs', { count: 10, runs: [] }, { place: 10 }],
    ['half of them run', { count: 10, runs: [[5, 'running']] }, { place: 5 }],
    ['twice as many run', { count: 10, runs: [[20, 'running']] }, { stop: 10 }],
    ['none is wanted', { count: 0, runs: [[20, 'running']] }, { stop: 20 }],
    ['all have the same tasks', { count: 10, runs: [[10, 'of the same tasks']] }, { update: 10 }],
    [
      'the same tasks, and more are wanted',
      { count: 15, runs: [[10, 'of the same tasks']] },
      { update: 10, place: 5 },
    ],
    [
      'the same tasks, and fewer are wanted',
      { count: 5, runs: [[10, 'of the same tasks']] },
      { update: 5, stop: 5 },
    ],
    ['all have other tasks', { count: 10, runs: [[10, 'of other tasks']] }, { replace: 10 }],
    [
      'other tasks, and more are wanted',
      { count: 15, runs: [[10, 'of other tasks']] },
      { replace: 10, place: 5 },
    ],
    [
      'other tasks, and fewer are wanted',
      { count: 5, runs: [[10, 'of other tasks']] },
      { replace: 5, stop: 5 },
    ],
    [
      'two are lost',
      {
        count: 10,
        runs: [
          [8, 'running'],
          [2, 'lost with their node'],
        ],
      },
      { replace: 2 },
    ],
    [
      'two are lost, and more are wanted',
      {
        count: 15,
        runs: [
          [8, 'running'],
          [2, 'lost with their node'],
        ],
      },
      { replace: 2, place: 5 },
    ],
    [
      'two are lost, and fewer are wanted',
      {
        count: 5,
        runs: [
          [8, 'running'],
          [2, 'lost with their node'],
        ],
      },
      { stop: 3 },
    ],
    [
      'two nodes drain',
      {
        count: 10,
        runs: [
          [8, 'running'],
          [2, 'on a draining node'],
        ],
      },
      { replace: 2 },
    ],
    [
      'two nodes drain, and more are wanted',
      {
        count: 15,
        runs: [
          [8, 'running'],
          [2, 'on a draining node'],
        ],
      },
      { replace: 2, place: 5 },
    ],
    [
      'three nodes drain, and fewer are wanted',
      {
        count: 8,
        runs: [
          [7, 'running'],
          [3, 'on a draining node'],
        ],
      },
      { stop: 2, replace: 1 },
    ],
    [
      'a user stopped two',
      {
        count: 10,
        runs: [
          [8, 'running'],
          [2, 'stopped by a user'],
        ],
      },
      { replace: 2 },
    ],
    [
      'the group has another name',
      { count: 10, runs: [[10, 'of a group that is no more']] },
      { place: 10, stop: 10 },
    ],
    [
      'one of a service completed',
      {
        count: 5,
        runs: [
          [4, 'running'],
          [1, 'completed'],
        ],
      },
      { place: 1 },
    ],
    [
      'two of a batch completed',
      {
        count: 10,
        type: 'batch',
        runs: [
          [8, 'running'],
          [2, 'completed'],
        ],
      },
      {},
    ],
    ['all of a batch completed', { count: 10, type: 'batch', runs: [[10, 'completed']] }, {}],
    [
      'one failed long ago',
      {
        count: 5,
        runs: [
          [4, 'running'],
          [1, 'failed long ago'],
        ],
      },
      { replace: 1 },
    ],
    [
      'one failed just now',
      {
        count: 5,
        runs: [
          [4, 'running'],
          [1, 'failed just now'],
        ],
      },
      { later: 1 },
    ],
    [
      'one of a batch failed just now',
      {
        count: 4,
        type: 'batch',
        runs: [
          [3, 'running'],
          [1, 'failed just now'],
        ],
      },
      { later: 1 },
    ],
    [
      'rescheduling is forced',
      {
        count: 5,
        runs: [
          [4, 'running'],
          [1, 'failed just now, and to be rescheduled by force'],
        ],
      },
      { replace: 1 },
    ],
    [
      'a failed one has other tasks',
      { count: 5, runs: [[5, 'of other tasks, failed long ago']] },
      { replace: 5 },
    ],
  ])('%s', (_what, given, expected) => {
    expect(decided(given)).toEqual(expected)
  })
})

describe('what a roll-out wants done, in those cases', () => {
  it.each<[string, Given, object]>([
    [
      'it begins',
      { count: 10, update: rolling, deployment: {}, runs: [[10, 'of other tasks']] },
      { replace: 4 },
    ],
    [
      'the first are not judged yet',
      {
        count: 10,
        update: rolling,
        deployment: {},
        runs: [
          [4, 'not judged yet, of the deployment'],
          [6, 'of other tasks'],
        ],
      },
      {},
    ],
    [
      'half of the first are healthy',
      {
        count: 10,
        update: rolling,
        deployment: {},
        runs: [
          [2, 'healthy, of the deployment'],
          [2, 'not judged yet, of the deployment'],
          [6, 'of other tasks'],
        ],
      },
      { replace: 2 },
    ],
    [
      'the first are healthy',
      {
        count: 10,
        update: rolling,
        deployment: {},
        runs: [
          [4, 'healthy, of the deployment'],
          [6, 'of other tasks'],
        ],
      },
      { replace: 4 },
    ],
    [
      'fewer are left than may be replaced at once',
      {
        count: 10,
        update: rolling,
        deployment: {},
        runs: [
          [8, 'healthy, of the deployment'],
          [2, 'of other tasks'],
        ],
      },
      { replace: 2 },
    ],
    [
      'it is paused',
      { count: 10, update: rolling, deployment: { status: 'paused' }, runs: [[10, 'of other tasks']] },
      {},
    ],
    [
      'it failed',
      { count: 10, update: rolling, deployment: { status: 'failed' }, runs: [[10, 'of other tasks']] },
      {},
    ],
    [
      'it is paused before all were placed',
      {
        count: 10,
        update: rolling,
        deployment: { status: 'paused' },
        runs: [[5, 'not judged yet, of the deployment']],
      },
      {},
    ],
    [
      'it failed before all were placed',
      {
        count: 10,
        update: rolling,
        deployment: { status: 'failed' },
        runs: [[5, 'not judged yet, of the deployment']],
      },
      {},
    ],
    [
      'it failed, and so did its allocations',
      {
        count: 5,
        update: rolling,
        deployment: { status: 'failed' },
        runs: [[5, 'failed, of the deployment']],
      },
      {},
    ],
    [
      'one of it failed while it runs',
      {
        count: 5,
        update: rolling,
        deployment: {},
        runs: [
          [4, 'healthy, of the deployment'],
          [1, 'failed, of the deployment'],
        ],
      },
      { replace: 1 },
    ],
    [
      'it is paused, and a node drains',
      {
        count: 10,
        update: rolling,
        deployment: { status: 'paused' },
        runs: [
          [9, 'of other tasks'],
          [1, 'of other tasks, on a draining node'],
        ],
      },
      { replace: 1 },
    ],
    [
      'it failed, and some are lost',
      {
        count: 10,
        update: rolling,
        deployment: { status: 'failed' },
        runs: [
          [8, 'running'],
          [2, 'lost with their node'],
        ],
      },
      { replace: 2 },
    ],
    [
      'canaries are wanted',
      { count: 10, update: trying, deployment: { canaries: 2 }, runs: [[10, 'of other tasks']] },
      { canaries: 2 },
    ],
    [
      'more canaries are wanted than allocations',
      {
        count: 3,
        update: { ...trying, Canary: 7 },
        deployment: { canaries: 7 },
        runs: [[3, 'of other tasks']],
      },
      { canaries: 7 },
    ],
    [
      'canaries are wanted, and more allocations',
      { count: 15, update: trying, deployment: { canaries: 2 }, runs: [[10, 'of other tasks']] },
      { canaries: 2 },
    ],
    [
      'canaries are wanted, and fewer allocations',
      { count: 5, update: trying, deployment: { canaries: 2 }, runs: [[10, 'of other tasks']] },
      { canaries: 2, stop: 5 },
    ],
    [
      'one of two canaries is there',
      {
        count: 10,
        update: trying,
        deployment: { canaries: 2 },
        runs: [
          [10, 'of other tasks'],
          [1, 'canaries that are not judged yet'],
        ],
      },
      { canaries: 1 },
    ],
    [
      'canaries are tried',
      {
        count: 10,
        update: trying,
        deployment: { canaries: 2 },
        runs: [
          [10, 'of other tasks'],
          [2, 'canaries that are not judged yet'],
        ],
      },
      {},
    ],
    [
      'canaries are wanted, but it is paused',
      {
        count: 10,
        update: trying,
        deployment: { canaries: 2, status: 'paused' },
        runs: [[10, 'of other tasks']],
      },
      {},
    ],
    [
      'it failed with its canaries',
      {
        count: 10,
        update: trying,
        deployment: { canaries: 2, status: 'failed' },
        runs: [
          [10, 'of other tasks'],
          [2, 'healthy canaries'],
        ],
      },
      { stop: 2 },
    ],
    [
      'canaries are promoted: those with their names stop, others follow',
      {
        count: 10,
        update: trying,
        deployment: { canaries: 2, promoted: true },
        runs: [
          [10, 'of other tasks'],
          [2, 'healthy canaries'],
        ],
      },
      { stop: 2, replace: 2 },
    ],
    [
      'as many canaries as are wanted are promoted',
      {
        count: 2,
        update: trying,
        deployment: { canaries: 2, promoted: true },
        runs: [
          [2, 'of other tasks'],
          [2, 'healthy canaries'],
        ],
      },
      { stop: 2 },
    ],
  ])('%s', (_what, given, expected) => {
    expect(decided(given)).toEqual(expected)
  })
})
