import { describe, expect, it } from 'vitest'
import { DeploymentState } from '../../../src/scheduler/deployments/model.ts'
import { AllocationRecord, JobSpec, reconcile } from '../../../src/scheduler/index.ts'

const now = Date.UTC(2026, 0, 1)
const second = 1000
const hour = 3600 * second
const at = (ms: number) => (now + ms) * 1e6

/** Allocations as the cases have them, by what they are called there; the number is that of the name. */
type Rows = Readonly<Record<string, object>>
interface Given {
  readonly count?: number
  readonly type?: 'service' | 'batch'
  readonly policy?: object | null
  readonly update?: object
  readonly disconnect?: object
  readonly rows: Rows
  readonly deployment?: { readonly status?: string; readonly canaries?: number; readonly promoted?: boolean }
  /** The allocations whose tasks are those of the current version, beside those of that version. */
  readonly same?: readonly string[]
}

const numberOf = (id: string) => Number(/\d+/.exec(id)?.[0])

function decided({
  count,
  type = 'service',
  policy,
  update,
  disconnect,
  rows,
  deployment,
  same = [],
}: Given) {
  const job = JobSpec.parse({
    ID: 'web',
    Type: type,
    Version: 1,
    TaskGroups: [
      {
        Name: 'app',
        Count: count ?? Object.keys(rows).length,
        Update: update ?? null,
        Migrate: { MaxParallel: 100, HealthCheck: 'task_states', MinHealthyTime: 0 },
        ReschedulePolicy: policy,
        Disconnect: disconnect ?? null,
        Tasks: [{ Name: 'main' }],
      },
    ],
  })
  const allocations = Object.entries(rows).map(([ID, row]) =>
    AllocationRecord.parse({
      ID,
      Name: `web.app[${numberOf(ID)}]`,
      TaskGroup: 'app',
      NodeID: `n${ID}`,
      JobVersion: 1,
      ClientStatus: 'running',
      ModifyTime: at(0),
      ...row,
    }),
  )
  const { status = 'running', canaries = 0, promoted = false } = deployment ?? {}
  const app = DeploymentState.parse({
    DesiredTotal: job.TaskGroups[0]?.Count,
    DesiredCanaries: canaries,
    Promoted: promoted,
    ProgressDeadline: 600e9,
  })
  const works = reconcile(
    {
      job,
      allocations,
      ...(deployment && { deployment: { ID: 'd', Status: status as 'running', TaskGroups: { app } } }),
    },
    {
      leaves: (id) => id === 'draining',
      unchanged: (each) => each.JobVersion === 1 || same.includes(each.ID),
    },
    { now },
  )
  const found = {
    place: 0,
    replace: [] as string[],
    stop: [] as string[],
    update: [] as string[],
    later: {} as Record<string, number>,
  }
  for (const work of works) {
    const replaced = work.replace.slice(0, work.place)
    found.place += work.place - replaced.length
    found.replace.push(...replaced.map(({ id }) => id))
    found.stop.push(...work.stop.map(({ id }) => id))
    found.update.push(...work.update)
    for (const { id, at: due } of work.later) found.later[id] = (due - now) / second
  }
  for (const list of [found.replace, found.stop, found.update]) list.sort()
  return Object.fromEntries(
    Object.entries(found).filter(([, each]) =>
      typeof each === 'number' ? each > 0 : Object.keys(each).length > 0,
    ),
  )
}

const rolling = { MaxParallel: 4 }
const trying = { MaxParallel: 2, Canary: 2 }
const failed = (ago: number, over: object = {}) => ({ ClientStatus: 'failed', ModifyTime: at(-ago), ...over })
const replacedBefore = (...ago: readonly number[]) => ({
  RescheduleTracker: {
    Events: ago.map((each) => ({ RescheduleTime: at(-each), PrevAllocID: 'p', PrevNodeID: 'q' })),
  },
})
const stopped = { DesiredStatus: 'stop' }
const complete = { ClientStatus: 'complete' }
const old = { JobVersion: 0 }
const mine = { DeploymentID: 'd' }
const healthy = { ...mine, DeploymentStatus: { Healthy: true } }
const canary = (Healthy: boolean | null, over: object = {}) => ({
  ...mine,
  DeploymentStatus: { Healthy, Canary: true },
  ...over,
})
const once = { Attempts: 1, Interval: 24 * 3600e9, Delay: 5e9, MaxDelay: 3600e9, Unlimited: false }
const thrice = (seconds: number) => ({
  Attempts: 3,
  Interval: 24 * 3600e9,
  Delay: seconds * 1e9,
  DelayFunction: 'constant',
  Unlimited: false,
})
const rowsOf = (begin: string, count: number, row: object, from = 0): Rows =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [`${begin}${nth + from}`, row]))
const namesOf = (begin: string, count: number, from = 0) => Object.keys(rowsOf(begin, count, {}, from)).sort()

/** Some that all have the same number. */
const namesakes = (count: number) => rowsOf('a0x', count, {})

/** A failed allocation with its predecessors, of a batch of four, one of which is complete. */
const chain = (last: object): Rows => ({
  a0: failed(2 * hour, { NextAllocation: 'b0' }),
  b0: failed(hour, { NextAllocation: 'c0', ...replacedBefore(2 * hour) }),
  c0: { ...last, ...replacedBefore(2 * hour, hour) },
  a1: {},
  a2: {},
  a3: complete,
})

describe('failed allocations, in the cases of the scheduler whose API this is', () => {
  it.each<[string, Given, object]>([
    [
      'a batch waits for its delay',
      { count: 4, type: 'batch', policy: thrice(15), rows: chain(failed(0)) },
      { later: { c0: 15 } },
    ],
    [
      'a batch waits for each of many',
      {
        type: 'batch',
        policy: thrice(15),
        rows: {
          ...rowsOf('a', 5, failed(0)),
          ...rowsOf('a', 2, failed(-10 * second), 5),
          ...rowsOf('a', 3, {}, 7),
        },
      },
      { later: { ...Object.fromEntries(namesOf('a', 5).map((id) => [id, 15])), a5: 25, a6: 25 } },
    ],
    [
      'a batch whose delay is over is replaced',
      { count: 4, type: 'batch', policy: thrice(5), rows: chain(failed(5 * second)) },
      { replace: ['c0'] },
    ],
    [
      'a batch without attempts is not',
      { count: 4, type: 'batch', policy: { ...thrice(5), Attempts: 0 }, rows: chain(failed(5 * second)) },
      {},
    ],
    [
      'a service waits, one that has no attempt left stays, and a stopped one is placed again',
      {
        policy: { ...once, Delay: 15e9 },
        rows: { a0: failed(0, replacedBefore(hour)), a1: failed(0), a2: {}, a3: {}, a4: stopped },
      },
      { place: 1, later: { a1: 15 } },
    ],
    [
      'a service that failed and was stopped is placed again',
      { policy: once, rows: { ...rowsOf('a', 4, {}), a4: failed(0, stopped) } },
      { place: 1 },
    ],
    [
      'a service whose delay is over is replaced',
      {
        policy: once,
        update: rolling,
        rows: { a0: failed(0, replacedBefore(hour)), a1: failed(10 * second), a2: {}, a3: {}, a4: stopped },
      },
      { place: 1, replace: ['a1'] },
    ],
    [
      'a service without attempts is not',
      {
        policy: { ...once, Attempts: 0 },
        update: rolling,
        rows: { a0: failed(0, replacedBefore(hour)), a1: failed(10 * second), a2: {}, a3: {}, a4: stopped },
      },
      { place: 1 },
    ],
    [
      'what failed while canaries are tried is replaced',
      {
        count: 5,
        policy: once,
        update: trying,
        deployment: { canaries: 2 },
        rows: {
          a0: { ...failed(0, replacedBefore(hour)), ...old },
          a1: { ...failed(10 * second), ...old },
          a2: old,
          a3: old,
          a4: { ...failed(10 * second), ...old },
          c0: canary(null),
          c1: canary(null),
        },
      },
      { replace: ['a1', 'a4'] },
    ],
    [
      'failed canaries are replaced',
      {
        count: 5,
        policy: { Delay: 5e9, DelayFunction: 'constant', MaxDelay: 3600e9, Unlimited: true },
        update: trying,
        deployment: { canaries: 2 },
        rows: {
          ...rowsOf('a', 5, old),
          c0: canary(false, failed(hour, replacedBefore(hour))),
          c1: canary(false, failed(10 * second)),
          ...Object.fromEntries(
            namesOf('x', 4).map((id) => [
              id,
              canary(false, failed(hour, { NextAllocation: `c${numberOf(id) % 2}` })),
            ]),
          ),
        },
      },
      { replace: ['c0', 'c1'] },
    ],
    [
      'failed canaries are replaced as often as their policy says',
      {
        count: 5,
        policy: once,
        update: trying,
        deployment: { canaries: 2 },
        rows: {
          ...rowsOf('a', 5, old),
          c0: canary(false, failed(0, replacedBefore(hour))),
          c1: canary(false, failed(10 * second)),
        },
      },
      { replace: ['c1'] },
    ],
    [
      'a failed one whose time has nearly come is replaced with the next look',
      { policy: once, update: rolling, rows: { a0: failed(4 * second), ...rowsOf('a', 4, {}, 1) } },
      { later: { a0: 1 } },
    ],
    [
      'a drain takes canaries along, one of which was replaced before',
      {
        count: 2,
        update: trying,
        deployment: { canaries: 2 },
        rows: {
          ...rowsOf('a', 2, old),
          c0: canary(false, {
            ...stopped,
            ...complete,
            NextAllocation: 'd0',
            DesiredTransition: { Migrate: true },
          }),
          c1: canary(false, { NodeID: 'draining' }),
          d0: canary(null, { PreviousAllocation: 'c0' }),
        },
      },
      { replace: ['c1'] },
    ],
    [
      'one that was replaced before is not again',
      {
        count: 5,
        policy: { Attempts: 5, Interval: 24 * 3600e9 },
        rows: { a0: failed(0, { NextAllocation: 'b0' }), b0: {}, a1: {}, a2: {}, a3: {}, a4: stopped },
      },
      { place: 1 },
    ],
    [
      'one is replaced by force',
      {
        policy: once,
        update: rolling,
        rows: {
          a0: failed(0, { ...replacedBefore(hour), DesiredTransition: { ForceReschedule: true } }),
          ...rowsOf('a', 4, {}, 1),
        },
      },
      { replace: ['a0'] },
    ],
    [
      'after a successful deployment all are replaced',
      {
        policy: { Delay: 5e9, DelayFunction: 'constant', Unlimited: true },
        update: rolling,
        deployment: { status: 'successful' },
        rows: rowsOf('a', 10, failed(10 * second, mine)),
      },
      { replace: namesOf('a', 10) },
    ],
    [
      'after a failed deployment none is',
      {
        count: 5,
        policy: { Delay: 5e9, DelayFunction: 'constant', Unlimited: true },
        update: rolling,
        deployment: { status: 'failed', promoted: true },
        rows: { ...rowsOf('a', 2, mine), ...rowsOf('a', 2, failed(10 * second, mine), 2) },
      },
      {},
    ],
    [
      'a version is taken back: one is updated, one waits, the missing one is placed',
      {
        count: 4,
        policy: { Attempts: 3, Interval: 30e9, Delay: 3600e9, DelayFunction: 'exponential', Unlimited: true },
        rows: { a0: old, a1: failed(2 * hour), a2: failed(0) },
        same: ['a0'],
      },
      { place: 1, replace: ['a1'], update: ['a0'], later: { a2: 3600 } },
    ],
  ])('%s', (_what, given, expected) => {
    expect(decided(given)).toEqual(expected)
  })
})

describe('which stop, in those cases', () => {
  it.each<[string, Given, object]>([
    [
      'those with the highest numbers',
      { count: 10, rows: rowsOf('a', 20, {}) },
      { stop: namesOf('a', 10, 10) },
    ],
    [
      'all, with the same name or not',
      { count: 0, rows: { ...rowsOf('a', 10, {}), ...rowsOf('b', 10, {}) } },
      { stop: [...namesOf('a', 10), ...namesOf('b', 10)] },
    ],
    [
      'of a batch, the complete one with the highest number',
      {
        count: 5,
        type: 'batch',
        rows: { ...rowsOf('a', 5, {}), a5: complete, a6: { ...complete, ...stopped } },
      },
      {},
    ],
    [
      'of a service, the failed one',
      {
        count: 5,
        policy: { Delay: 5e9, DelayFunction: 'constant', Unlimited: true },
        rows: { ...rowsOf('a', 3, {}), a3: failed(hour), ...rowsOf('a', 2, {}, 4) },
      },
      { stop: ['a3'] },
    ],
    [
      'of a service that rolls out, the failed one',
      { count: 2, update: rolling, deployment: {}, rows: { a0: mine, a1: mine, a2: failed(hour, mine) } },
      { stop: ['a2'] },
    ],
    [
      'four of five with the same number, of a batch',
      { count: 1, type: 'batch', rows: namesakes(5) },
      { stop: namesOf('a0x', 4) },
    ],
    [
      'none where each is there, by two groups or one',
      { count: 10, update: rolling, rows: rowsOf('a', 10, {}) },
      {},
    ],
    [
      'all that were running, with those that they replaced or not, once the job is changed',
      {
        count: 2,
        rows: { a0: { ...old, NextAllocation: 'b0' }, a1: old, b0: { ...old, PreviousAllocation: 'a0' } },
      },
      { stop: ['a0'], replace: ['a1', 'b0'] },
    ],
    [
      'none of those that have ended, once none is wanted',
      {
        count: 0,
        rows: { ...rowsOf('a', 5, stopped), ...rowsOf('b', 5, { ...failed(hour), ...stopped }, 5) },
      },
      {},
    ],
    [
      'those on lost nodes and those with the highest numbers',
      {
        count: 5,
        rows: {
          ...rowsOf('a', 2, { ClientStatus: 'lost', ...stopped, DesiredTransition: { Migrate: true } }),
          ...rowsOf('a', 8, {}, 2),
        },
      },
      { stop: ['a7', 'a8', 'a9'] },
    ],
  ])('%s', (_what, given, expected) => {
    expect(decided(given)).toEqual(expected)
  })
})

describe('batches that leave or run again, in those cases', () => {
  const migrating = { DesiredStatus: 'stop', DesiredTransition: { Migrate: true } }
  const drained = {
    DesiredStatus: 'stop',
    DesiredTransition: { Migrate: true, MigrateDisablePlacement: true },
  }
  it.each<[string, Given, object]>([
    [
      'stopped by a user: placed again',
      { count: 10, type: 'batch', rows: { ...rowsOf('a', 2, migrating), ...rowsOf('a', 8, {}, 2) } },
      { replace: ['a0', 'a1'] },
    ],
    [
      'drained: not placed again, even while they end',
      { count: 10, type: 'batch', rows: { ...rowsOf('a', 2, drained), ...rowsOf('a', 8, {}, 2) } },
      {},
    ],
    [
      'drained, and ended: not placed again',
      {
        count: 10,
        type: 'batch',
        rows: { ...rowsOf('a', 2, { ...drained, ClientStatus: 'complete' }), ...rowsOf('a', 8, {}, 2) },
      },
      {},
    ],
    [
      'complete, of another version: all run again',
      {
        count: 10,
        type: 'batch',
        rows: {
          ...rowsOf('a', 5, { ...old, ...complete }),
          ...rowsOf('a', 5, { ...old, ...complete, ...stopped }, 5),
        },
      },
      { place: 10 },
    ],
  ])('%s', (_what, given, expected) => {
    expect(decided(given)).toEqual(expected)
  })
})

describe('a roll-out, in those cases', () => {
  it.each([0, 1, 2, 3, 4])('with %i of the first four healthy, as many follow', (count) => {
    const rows = {
      ...rowsOf('a', 4, mine),
      ...rowsOf('a', count, healthy),
      ...rowsOf('a', 6, old, 4),
    }
    const found = decided({ count: 10, update: rolling, deployment: { promoted: true }, rows })
    expect(found).toEqual(count === 0 ? {} : { replace: namesOf('a', count, 4) })
  })
  it.each<[string, Given, object]>([
    [
      'without an update strategy that limits it, all at once',
      { count: 10, update: { MaxParallel: 0 }, rows: rowsOf('a', 10, old) },
      { replace: namesOf('a', 10) },
    ],
    [
      'of another job of the same name, the missing ones are placed',
      { count: 10, update: rolling, deployment: {}, rows: rowsOf('a', 5, {}) },
      { place: 5 },
    ],
    ['nothing changed', { count: 10, update: rolling, rows: rowsOf('a', 10, {}) }, {}],
    [
      'with missing ones, these first, and as many others as may go at once',
      { count: 10, update: rolling, deployment: {}, rows: rowsOf('a', 7, old) },
      { place: 3, replace: ['a0'] },
    ],
    [
      'that grows: nothing while the new ones are not judged',
      {
        count: 30,
        update: rolling,
        deployment: {},
        rows: { ...rowsOf('a', 10, old), ...rowsOf('b', 20, mine, 10) },
      },
      {},
    ],
    [
      'canaries on a draining node move',
      {
        count: 10,
        update: trying,
        deployment: { canaries: 2 },
        rows: { ...rowsOf('a', 10, old), ...rowsOf('c', 2, canary(true, { NodeID: 'draining' })) },
      },
      { replace: ['c0', 'c1'] },
    ],
    [
      'a lost canary is placed again',
      {
        count: 10,
        update: trying,
        deployment: { canaries: 2 },
        rows: {
          ...rowsOf('a', 10, old),
          c0: canary(null),
          c1: canary(null, { ClientStatus: 'lost', ...stopped, DesiredTransition: { Migrate: true } }),
        },
      },
      { replace: ['c1'] },
    ],
    [
      'canaries of an earlier version stop, and others are placed',
      {
        count: 10,
        update: trying,
        deployment: { canaries: 2 },
        rows: {
          ...rowsOf('a', 10, { JobVersion: -1 + 1 }),
          ...rowsOf('c', 2, { ...canary(null), DeploymentID: 'e', JobVersion: 0 }),
        },
      },
      { place: 2, stop: ['c0', 'c1'] },
    ],
    [
      'two of four canaries are there',
      {
        count: 10,
        update: { ...trying, Canary: 4 },
        deployment: { canaries: 4 },
        rows: { ...rowsOf('a', 10, old), c0: canary(null), c3: canary(null) },
      },
      { place: 2 },
    ],
    [
      'a node of it is lost, others drain',
      {
        count: 10,
        update: rolling,
        deployment: { promoted: true },
        rows: {
          ...rowsOf('a', 8, healthy),
          a2: { ...healthy, ClientStatus: 'lost', ...stopped, DesiredTransition: { Migrate: true } },
          a3: { ...healthy, NodeID: 'draining' },
          a4: { ...healthy, NodeID: 'draining' },
          ...rowsOf('a', 2, old, 8),
        },
      },
      { replace: ['a2', 'a3', 'a4', 'a8', 'a9'] },
    ],
    [
      'it failed; what is lost or drains is replaced',
      {
        count: 10,
        update: rolling,
        deployment: { status: 'failed', promoted: true },
        rows: {
          ...rowsOf('a', 4, healthy),
          ...rowsOf('a', 6, old, 4),
          a6: { ...old, ClientStatus: 'lost', ...stopped, DesiredTransition: { Migrate: true } },
          a7: { ...old, NodeID: 'draining' },
        },
      },
      { replace: ['a6', 'a7'] },
    ],
    [
      'it is complete',
      {
        count: 10,
        update: trying,
        deployment: { status: 'successful', canaries: 2, promoted: true },
        rows: rowsOf('a', 10, healthy),
      },
      {},
    ],
    [
      'it is complete after failures',
      {
        count: 10,
        update: rolling,
        deployment: {},
        rows: {
          ...rowsOf('a', 10, healthy),
          ...rowsOf('b', 10, { ...mine, ...stopped, ...failed(hour), DeploymentStatus: { Healthy: false } }),
        },
      },
      {},
    ],
    [
      'it failed after its promotion: nothing more',
      {
        count: 10,
        update: trying,
        deployment: { status: 'failed', canaries: 2, promoted: true },
        rows: { ...rowsOf('a', 4, healthy), ...rowsOf('a', 6, old, 4) },
      },
      {},
    ],
    [
      'an earlier one failed: another version begins',
      {
        count: 10,
        update: rolling,
        deployment: {},
        rows: { ...rowsOf('a', 4, { ...old, DeploymentID: 'e' }), ...rowsOf('a', 6, old, 4) },
      },
      { replace: namesOf('a', 4) },
    ],
    [
      'canaries of the version before failed, and it was taken back',
      {
        count: 3,
        update: { ...trying, Canary: 3 },
        deployment: { promoted: true },
        rows: {
          ...rowsOf('a', 3, healthy),
          ...rowsOf('b', 3, {
            ...old,
            DeploymentID: 'e',
            ...stopped,
            ...failed(hour),
            DeploymentStatus: { Healthy: false },
          }),
        },
      },
      {},
    ],
  ])('%s', (_what, given, expected) => {
    expect(decided(given)).toEqual(expected)
  })
})

describe('allocations that return, in those cases', () => {
  const away = { NodeID: 'back' }
  const lostAfter = { LostAfter: 300e9 }
  const scored = (NodeID: string, NormScore: number) => ({
    NodeID,
    Metrics: { ScoreMetaData: [{ NodeID, Scores: {}, NormScore }] },
  })
  const started = (...tasks: readonly (readonly [ago: number, restartedAgo?: number])[]) => ({
    TaskStates: Object.fromEntries(
      tasks.map(([ago, restarted], nth) => [
        nth === 0 ? 'main' : `other${nth}`,
        {
          State: 'running',
          StartedAt: new Date(now - ago).toISOString(),
          ...(restarted !== undefined && {
            Restarts: 1,
            LastRestart: new Date(now - restarted).toISOString(),
          }),
        },
      ]),
    ),
  })
  const both = (strategy: string, original: object, replacement: object): Given => ({
    count: 1,
    disconnect: { ...lostAfter, Reconcile: strategy },
    rows: {
      a0: { NextAllocation: 'b0', ...original },
      b0: { PreviousAllocation: 'a0', ...replacement },
    },
  })
  const [low, high] = [scored('x', 0.1), scored('y', 0.2)]
  const pending = { ClientStatus: 'pending' }
  it.each<[string, Given, object]>([
    ['a newer replacement stays', both('keep_original', old, {}), { stop: ['a0'] }],
    ['the best score stays', both('best_score', low, high), { stop: ['a0'] }],
    ['the original stays', both('keep_original', low, high), { stop: ['b0'] }],
    ['the replacement stays', both('keep_replacement', high, low), { stop: ['a0'] }],
    [
      'the longest running stays',
      both('longest_running', { ...low, ...started([hour]) }, { ...high, ...started([hour / 2]) }),
      { stop: ['b0'] },
    ],
    ['the better original stays', both('best_score', high, low), { stop: ['b0'] }],
    [
      'a better replacement that does not run goes',
      both('best_score', low, { ...high, ...pending }),
      { stop: ['b0'] },
    ],
    [
      'an original that does not run goes',
      both('best_score', { ...low, ...pending }, high),
      { stop: ['a0'] },
    ],
    [
      'a better original stays, running or not',
      both('best_score', { ...high, ...pending }, low),
      { stop: ['b0'] },
    ],
    [
      'a better original stays, beside one that does not run',
      both('best_score', high, { ...low, ...pending }),
      { stop: ['b0'] },
    ],
    [
      'an original that restarted has run for less',
      both('longest_running', { ...low, ...started([hour, hour / 6]) }, { ...high, ...started([hour / 2]) }),
      { stop: ['a0'] },
    ],
    [
      'a replacement that restarted has run for less',
      both('longest_running', { ...low, ...started([hour]) }, { ...high, ...started([hour / 2, hour / 6]) }),
      { stop: ['b0'] },
    ],
    [
      'the replacement runs, the original never started',
      both('longest_running', low, { ...low, ...started([hour / 2]) }),
      { stop: ['a0'] },
    ],
    [
      'the original runs, the replacement never started',
      both('longest_running', { ...low, ...started([hour / 2]) }, high),
      { stop: ['b0'] },
    ],
    ['neither started: the best score', both('longest_running', low, high), { stop: ['a0'] }],
    ['without a replacement they go on', { count: 2, disconnect: lostAfter, rows: rowsOf('a', 2, away) }, {}],
    [
      'failed ones with replacements stay as they are',
      {
        count: 4,
        disconnect: lostAfter,
        rows: {
          a0: { ...away, ...failed(0), NextAllocation: 'b0' },
          a1: { ...away, ...failed(0), NextAllocation: 'b1' },
          a2: {},
          a3: {},
          b0: { PreviousAllocation: 'a0' },
          b1: { PreviousAllocation: 'a1' },
        },
      },
      {},
    ],
    [
      'failed ones without replacements are replaced',
      {
        count: 4,
        disconnect: lostAfter,
        policy: { Delay: 0, DelayFunction: 'constant', Unlimited: true },
        rows: { a0: { ...away, ...failed(0) }, a1: { ...away, ...failed(0) }, a2: {}, a3: {} },
      },
      { replace: ['a0', 'a1'] },
    ],
    [
      'those of a batch that completed meanwhile are done',
      { count: 2, type: 'batch', disconnect: lostAfter, rows: rowsOf('a', 2, { ...away, ...complete }) },
      {},
    ],
    [
      'replacements of replacements stop as well',
      {
        count: 5,
        disconnect: lostAfter,
        rows: {
          a0: { ...away, NextAllocation: 'b0' },
          a1: { ...away, NextAllocation: 'b1' },
          ...rowsOf('a', 3, {}, 2),
          b0: { ...failed(0), ...stopped, PreviousAllocation: 'a0', NextAllocation: 'c0' },
          b1: { ...failed(0), ...stopped, PreviousAllocation: 'a1', NextAllocation: 'c1' },
          c0: { PreviousAllocation: 'b0' },
          c1: { PreviousAllocation: 'b1' },
        },
      },
      { stop: ['c0', 'c1'] },
    ],
    [
      'those that were told to stop do not',
      {
        count: 1,
        disconnect: lostAfter,
        rows: { a0: { ...away, ...stopped, NextAllocation: 'c0' }, c0: {} },
      },
      {},
    ],
    [
      'failed ones with failed replacements: new ones are placed',
      {
        count: 5,
        disconnect: lostAfter,
        policy: { Delay: 0, DelayFunction: 'constant', Unlimited: true },
        rows: {
          a0: { ...away, ...failed(0), NextAllocation: 'b0' },
          a1: { ...away, ...failed(0), NextAllocation: 'b1' },
          ...rowsOf('a', 3, {}, 2),
          b0: { ...failed(0), PreviousAllocation: 'a0' },
          b1: { ...failed(0), PreviousAllocation: 'a1' },
        },
      },
      { replace: ['b0', 'b1'] },
    ],
    [
      'those that are lost by now have their replacements',
      {
        count: 5,
        disconnect: lostAfter,
        rows: {
          a0: {
            ...away,
            ClientStatus: 'lost',
            ...stopped,
            DesiredTransition: { Migrate: true },
            NextAllocation: 'b0',
          },
          ...rowsOf('a', 4, {}, 1),
          b0: {},
        },
      },
      {},
    ],
    [
      'those that just went out of touch are replaced meanwhile',
      {
        count: 5,
        disconnect: lostAfter,
        rows: { ...rowsOf('a', 2, { ...away, ClientStatus: 'unknown' }), ...rowsOf('a', 3, {}, 2) },
      },
      { replace: ['a0', 'a1'] },
    ],
    [
      'two of three, as well',
      {
        count: 3,
        disconnect: lostAfter,
        rows: { ...rowsOf('a', 2, { ...away, ClientStatus: 'unknown' }), a2: {} },
      },
      { replace: ['a0', 'a1'] },
    ],
    [
      'a changed job is updated where they run',
      { count: 2, disconnect: lostAfter, rows: { a0: { ...away, ...old }, a1: old }, same: ['a0', 'a1'] },
      { update: ['a0', 'a1'] },
    ],
    ...(
      [
        ['out of touch, and replaced', { ClientStatus: 'unknown' }],
        [
          'out of touch, and rescheduled by force',
          { ClientStatus: 'unknown', DesiredTransition: { ForceReschedule: true } },
        ],
        ['running, and rescheduled by force', { DesiredTransition: { ForceReschedule: true } }],
      ] as const
    ).map(([what, row]): [string, Given, object] => [
      `${what}: no third one is placed`,
      {
        count: 1,
        disconnect: lostAfter,
        rows: { a0: { NextAllocation: 'b0', ...row }, b0: { PreviousAllocation: 'a0' } },
      },
      'ClientStatus' in row ? {} : { stop: ['b0'] },
    ]),
    [
      'canaries and others that are out of touch are replaced',
      {
        count: 6,
        update: { MaxParallel: 1, Canary: 3 },
        deployment: { canaries: 3 },
        disconnect: lostAfter,
        rows: {
          a0: { ...old, ...stopped, ...complete },
          a1: { ...old, ...stopped, ...complete },
          a2: { ...old, ...stopped },
          a3: { ...old, ClientStatus: 'unknown' },
          a4: old,
          a5: { ...old, ClientStatus: 'unknown' },
          c0: canary(true),
          c1: canary(true, { ClientStatus: 'unknown' }),
          c2: canary(null, pending),
        },
      },
      { replace: ['a3', 'a5', 'c1'] },
    ],
    [
      'a canary that returns goes on, and its replacement stops',
      {
        count: 2,
        update: { MaxParallel: 1, Canary: 1 },
        deployment: { canaries: 1 },
        disconnect: lostAfter,
        rows: {
          ...rowsOf('a', 2, old),
          c0: canary(true, { NextAllocation: 'd0' }),
          d0: canary(true, { PreviousAllocation: 'c0' }),
        },
      },
      { stop: ['d0'] },
    ],
    [
      'canaries that have been replaced are not again',
      {
        count: 6,
        update: { MaxParallel: 1, Canary: 1 },
        deployment: { canaries: 1 },
        disconnect: lostAfter,
        rows: {
          a0: { ...old, ...stopped, ...complete },
          a1: { ...old, ...stopped, ...complete },
          a2: { ...old, ...stopped },
          a3: { ...old, ClientStatus: 'unknown' },
          a4: old,
          a5: { ...old, ClientStatus: 'unknown' },
          c0: canary(true),
          c1: canary(true, { ClientStatus: 'unknown', NextAllocation: 'c2' }),
          c2: canary(null, { ...pending, PreviousAllocation: 'c1' }),
        },
      },
      { replace: ['a3', 'a5'] },
    ],
    [
      'those that are out of touch and may not be replaced stay',
      {
        count: 2,
        disconnect: { ...lostAfter, Replace: false },
        rows: { a0: { ...away, ClientStatus: 'unknown' }, a1: {} },
      },
      {},
    ],
  ])('%s', (_what, given, expected) => {
    expect(decided(given)).toEqual(expected)
  })
})
