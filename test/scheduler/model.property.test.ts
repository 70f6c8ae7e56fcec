import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { descriptions } from '../../src/scheduler/placement/group-work.ts'
import {
  jobRecords,
  jobStatusRecords,
  jobSummaryRecords,
  jobVersionRecords,
  launchRecords,
  scalingRecords,
  schedulerRecords,
} from '../../src/scheduler/records/collections.ts'
import { partsOf, type Snapshot } from '../../src/store/index.ts'
import { realmFaults } from '../store/realm-faults.ts'
import type { Harness } from './harness.ts'
import {
  type Allocation,
  type Cluster,
  carryOut,
  cluster,
  command,
  type Deployment,
  isActive,
  isLive,
  type Job,
  type JobId,
  jobs,
  listed,
  moves,
} from './model-cluster.ts'

/** What is kept of a job beside it, and is not gone with it. */
const strays = (now: Snapshot): readonly string[] =>
  [jobStatusRecords, jobSummaryRecords, launchRecords, scalingRecords, jobVersionRecords].flatMap((records) =>
    now.scan({ prefix: records.prefix }).flatMap(({ key }) => {
      const [, namespace = '', id = ''] = partsOf(key)
      return jobRecords.get(now, namespace, id) ? [] : [partsOf(key).join('/')]
    }),
  )

/** Whether as many of a service as may leave at once are still to prove that they do their work. */
async function waitsForOthers(
  harness: Harness,
  allocations: readonly Allocation[],
  id: JobId,
  now: number,
): Promise<boolean> {
  const { most, patience } = moves[id] ?? { most: 0, patience: 0 }
  const own = allocations.filter((row) => row.JobID === id && isLive(row) && row.DesiredStatus === 'run')
  const proven = own.filter(
    ({ ClientStatus, DeploymentStatus, CreateTime }) =>
      ClientStatus !== 'unknown' &&
      ((DeploymentStatus?.Healthy ?? null) !== null || CreateTime / 1e6 + patience <= now),
  )
  const { TaskGroups } = (await harness.get(`/v1/job/${id}`)).json as { TaskGroups: { Count: number }[] }
  const canaries = own.filter(({ DeploymentStatus }) => DeploymentStatus?.Canary === true)
  return proven.length <= (TaskGroups[0]?.Count ?? 0) + canaries.length - most
}

/** What was moved off draining nodes by one job's strategy, and has not proved itself yet. */
async function moving(
  { get }: Harness,
  allocations: readonly Allocation[],
  { id, judged }: { readonly id: JobId; readonly judged: ReadonlySet<string> },
): Promise<readonly string[]> {
  const left = allocations.filter(
    ({ JobID, DesiredDescription }) => JobID === id && DesiredDescription === descriptions.migrating,
  )
  const found: string[] = []
  for (const { ID, NextAllocation } of left) {
    const { DesiredTransition } = (await get(`/v1/allocation/${ID}`)).json as { DesiredTransition: unknown }
    const next = allocations.find((row) => row.ID === NextAllocation)
    // A forced drain does not wait for healthy replacements.
    const counts = DesiredTransition === null && next && isLive(next) && next.DesiredStatus === 'run'
    if (counts && !judged.has(next.ID)) found.push(next.ID)
  }
  return found
}

/** What must hold whenever nothing is left to do. */
async function expectSound({ present, now, errors, kept, judged }: Cluster, after: string): Promise<void> {
  const harness = present()
  const allocations = await listed<Allocation>(harness, '/v1/allocations')
  const deployments = await listed<Deployment>(harness, '/v1/deployments')
  const wanted = allocations.filter((row) => isLive(row) && row.DesiredStatus === 'run')
  expect(errors, after).toEqual([])
  expect(await realmFaults(kept, schedulerRecords), after).toEqual([])
  expect(strays(kept.snapshot()), `${after}: belong to no job`).toEqual([])
  const checked = await harness.send('PUT', '/v1/system/reconcile/summaries')
  expect(checked.json, `${after}: summaries`).toMatchObject({ Differing: [] })

  const evaluations = await listed<{ JobID: string; Status: string; WaitUntil: string | null }>(
    harness,
    '/v1/evaluations',
  )
  const stuck = evaluations.filter(
    ({ Status, WaitUntil }) => Status === 'pending' && !(WaitUntil && Date.parse(WaitUntil) > now()),
  )
  expect(stuck, `${after}: nothing waits for nothing`).toEqual([])

  for (const node of await listed<{ ID: string; Status: string; Drain: boolean }>(harness, '/v1/nodes')) {
    const here = allocations.filter(
      ({ NodeID, ClientStatus }) => NodeID === node.ID && ClientStatus !== 'unknown',
    )
    const load = here.filter((row) => wanted.includes(row)).length * 300
    expect(load, `${after}: ${node.ID} has room for what it runs`).toBeLessThanOrEqual(1500)
    if (node.Status === 'down') expect(here.filter(isLive), `${after}: ${node.ID} is down`).toEqual([])
    const services = wanted.filter(
      ({ NodeID, JobID }) => NodeID === node.ID && jobs[JobID as JobId] === 'service',
    )
    for (const { ID, JobID } of node.Drain ? services : [])
      expect(
        evaluations.some((each) => each.JobID === JobID && each.Status === 'blocked') ||
          (await waitsForOthers(harness, allocations, JobID as JobId, now())),
        `${after}: ${ID} stays on ${node.ID} for want of room, or until others are healthy`,
      ).toBe(true)
    if (node.Drain)
      expect(
        allocations.some((row) => row.NodeID === node.ID && isLive(row)),
        `${after}: a drain`,
      ).toBe(true)
  }
  const moved = await moving(harness, allocations, { id: 'web', judged })
  expect(moved.length, `${after}: what moves at once`).toBeLessThanOrEqual(moves.web?.most ?? 0)
  for (const { ID, NextAllocation } of allocations) {
    const { PreviousAllocation: before } = (await harness.get(`/v1/allocation/${ID}`)).json as {
      PreviousAllocation: string
    }
    const [previous, next] = [before, NextAllocation].map((id) => allocations.find((row) => row.ID === id))
    if (previous) expect(previous.NextAllocation, `${after}: what came before ${ID}`).toBe(ID)
    if (next) {
      const { json } = await harness.get(`/v1/allocation/${next.ID}`)
      expect(json, `${after}: what came after ${ID}`).toMatchObject({ PreviousAllocation: ID })
      expect(
        wanted.some((row) => row.ID === ID),
        `${after}: what was replaced is over`,
      ).toBe(false)
    }
  }
  const known = await listed<Job>(harness, '/v1/jobs')
  for (const job of known) {
    const own = wanted.filter(({ JobID }) => JobID === job.ID)
    if (job.Stop || job.Status === 'dead') expect(own, `${after}: ${job.ID} is over`).toEqual([])
    const active = deployments.filter((each) => each.JobID === job.ID && isActive(each))
    expect(active.length, `${after}: roll-outs of ${job.ID}`).toBeLessThanOrEqual(job.Stop ? 0 : 1)
    if (job.Type !== 'service' || job.Stop) continue
    const names = own.map(({ JobVersion, Name }) => `${Name} of version ${JobVersion}`)
    expect(names, `${after}: ${job.ID} has one of each name`).toHaveLength(new Set(names).size)
    const { TaskGroups } = (await harness.get(`/v1/job/${job.ID}`)).json as {
      TaskGroups: { Count: number }[]
    }
    const canaries = active
      .flatMap((each) => Object.values(each.TaskGroups))
      .filter(({ Promoted }) => !Promoted)
    const most = canaries.reduce(
      (sum, { DesiredCanaries }) => sum + DesiredCanaries,
      TaskGroups[0]?.Count ?? 0,
    )
    expect(own.length, `${after}: ${job.ID} runs no more often than is wanted`).toBeLessThanOrEqual(most)
  }
  const orphans = wanted.filter(({ JobID }) => !known.some(({ ID }) => ID === JobID))
  expect(orphans, `${after}: all running allocations have a job`).toEqual([])
}

describe('a cluster under any requests, node changes, clocks and crashes', () => {
  it('nothing is lost, left over, or counted wrong', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 40, size: 'max' }), async (steps) => {
        const subject = await cluster()
        for (const [at, step] of steps.entries()) {
          const next = steps[at + 1]
          if (step.do !== 'crash') await carryOut(subject, step)
          else if (next && next.do !== 'wait' && next.do !== 'setClock')
            await subject.crashing(step.commits, () => carryOut(subject, next))
          await subject.present().scheduler.settled()
          await expectSound(subject, `after step ${at}, ${JSON.stringify(step)}`)
        }
        await subject.present().scheduler.close()
      }),
      { numRuns: 8 },
    )
  })
})
