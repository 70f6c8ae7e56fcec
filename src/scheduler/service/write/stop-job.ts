import { type Env, type Refused, refuse } from '../../../kernel/index.ts'
import type { AllocationMoved } from '../../allocations/move.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import { type EvaluationMoved, moveEvaluation } from '../../evaluations/move.ts'
import { isTerminalEvaluation } from '../../evaluations/rules.ts'
import { stopJob } from '../../jobs/stop.ts'
import { descriptions } from '../../placement/group-work.ts'
import { jobVersionRecords, purgeRecords } from '../../records/collections.ts'
import { permissionDenied } from '../acl/authenticate.ts'
import type { WriteCall, Written } from '../call.ts'
import type { Cluster } from '../cluster.ts'
import { enter } from '../enter.ts'
import type { JobName, Ledger } from './ledger.ts'
import { sweepPurged } from './purge.ts'
import { record } from './record.ts'
import { type JobWritten, jobWritten, priorityProblem } from './register-job.ts'
import { earlierVersions, evaluate, writeVersion } from './specification.ts'
import { recordStop } from './stop-allocation.ts'

/**
 * Which job to stop, and how.
 *
 * @public
 */
export interface DeregisterJobCall extends WriteCall {
  /** `default` by default. */
  readonly namespace?: string | undefined
  /** Removes the job, its versions and everything that belongs to it. */
  readonly purge?: boolean | undefined
  readonly evalPriority?: number | undefined
}

/** How many allocations one commit stops: a commit has 64 keys. */
const batch = 12

export const deregisterMethod =
  (cluster: Cluster) =>
  (
    id: string,
    call: DeregisterJobCall = {},
  ): Promise<Written<JobWritten> | Refused<'permission_denied' | 'job_not_found' | 'invalid_priority'>> =>
    enter(cluster, call, async ({ access }) => {
      const name = { Namespace: call.namespace ?? 'default', ID: id }
      if (!access.namespace(name.Namespace, 'submit-job')) return permissionDenied()
      const priority = priorityProblem(call.evalPriority)
      if (priority !== undefined) return priority
      const env = cluster.env()
      const { result, rev } = await record(cluster, (ledger) => {
        const before = ledger.job(name)
        if (before === undefined) return refuse('job_not_found', 'job not found')
        const outcome = stopJob(before.value, {}, env)
        if (!outcome.ok) return outcome
        const more = { priority: call.evalPriority }
        if (call.purge === true) {
          const evaluation = evaluate(ledger, before.value, 'job-deregister', env, more)
          // Nothing is left to decide: the record of the purge sees to it that everything goes.
          if (evaluation !== undefined) ledger.putEvaluation({ ...evaluation, Status: 'complete' })
          removeJob(ledger, name, before.created)
          return { ok: true as const, evaluation, known: undefined, events: outcome.events }
        }
        const { stopped } = outcome.value
        const moved = stopped ? writeVersion(ledger, outcome.state, env, 'stopped') : []
        const known = stopped ? undefined : before.modified
        const evaluation = evaluate(ledger, before.value, 'job-deregister', env, {
          ...more,
          jobModifyIndex: known,
        })
        return { ok: true as const, evaluation, known, events: [...outcome.events, ...moved] }
      })
      if (!result.ok) return result
      cluster.emit(result.events)
      if (call.purge === true) await sweepPurged(cluster)
      else await workOffStop(cluster, name)
      return jobWritten(result.evaluation, rev, result.known)
    })

/** Ends a job: nothing of it can be found from now on, though what belonged to it goes later. */
export function removeJob(ledger: Ledger, name: JobName, created: number): void {
  for (const { Version } of earlierVersions(ledger, name))
    ledger.tx.delete(jobVersionRecords, name.Namespace, name.ID, Version)
  ledger.deleteJob(name)
  ledger.tx.put(purgeRecords, { Namespace: name.Namespace, JobID: name.ID, JobCreateIndex: created })
}

/**
 * Does what a stopped job asks for, which needs no choice of nodes: its allocations are told to stop, batch by batch,
 * and its evaluations come to an end.
 */
export async function workOffStop(cluster: Cluster, name: JobName): Promise<void> {
  for (let more = true; more; ) {
    const env = cluster.env()
    const { result } = await record(cluster, (ledger) => {
      if (ledger.job(name)?.value.Stop !== true) return { more: false, events: [] }
      const live = ledger.allocations(name).filter((each) => !isTerminalAllocation(each))
      const stopped = live
        .slice(0, batch)
        .flatMap(({ ID }) => recordStop(cluster, ledger, ledger.allocation(ID), notNeeded, env))
      if (live.length > batch) return { more: true, events: stopped }
      const ended = endEvaluations(ledger, name, env)
      return { more: ended.more, events: [...stopped, ...ended.events] }
    })
    cluster.emit(result.events)
    more = result.more
  }
}

/** Completes the newest evaluation of a stopped job and cancels those before it. */
function endEvaluations(
  ledger: Ledger,
  name: JobName,
  env: Env,
): { readonly more: boolean; readonly events: readonly (EvaluationMoved | AllocationMoved)[] } {
  const open = ledger.evaluations(name).filter((each) => !isTerminalEvaluation(each))
  const newest = open.at(-1)?.ID
  const events = open.slice(0, batch).flatMap(({ ID }) => {
    const evaluation = ledger.evaluation(ID)
    if (evaluation === undefined) return []
    const completes = ID === newest && evaluation.Status === 'pending'
    const outcome = moveEvaluation(
      evaluation,
      completes ? { verb: 'complete' } : { verb: 'cancel', description: superseded },
      env,
    )
    if (!outcome.ok) return []
    ledger.putEvaluation(outcome.state)
    return outcome.events
  })
  return { more: open.length > batch, events }
}

const notNeeded = { description: descriptions.notNeeded }
const superseded = 'canceled after more recent eval was processed'
