import type { Env, Instant } from '../../../kernel/index.ts'
import { newEvaluation } from '../../evaluations/create.ts'
import { isWaiting, waitsUntil } from '../../evaluations/rules.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { nanoseconds, rfc3339 } from '../../values/instants.ts'
import type { JobName, Ledger } from './ledger.ts'

/** Evaluations that wait: for other allocations of the job, or until more may be updated. */
const waiting = (ledger: Ledger, name: JobName, trigger: WaitTrigger, env: Env) =>
  ledger.openEvaluations(name).filter((each) => each.TriggeredBy === trigger && isWaiting(each, env.now))

type WaitTrigger = 'node-drain' | 'rolling-update'

interface Wait {
  readonly job: JobSpec
  readonly jobModifyIndex: number
  readonly at: Instant
}

/** Schedules an evaluation of a job at an instant, or as soon as {@link wakeHealthWaits} is called. */
export const waitForHealthy = (ledger: Ledger, about: Wait, env: Env): void =>
  wait(ledger, about, 'node-drain', 'created to migrate more allocations once others are healthy', env)

/** Schedules an evaluation of a system job for when more of its allocations are updated. */
export const waitForStagger = (ledger: Ledger, about: Wait, env: Env): void =>
  wait(ledger, about, 'rolling-update', 'created to update more allocations', env)

function wait(
  ledger: Ledger,
  { job, jobModifyIndex, at }: Wait,
  trigger: WaitTrigger,
  StatusDescription: string,
  env: Env,
): void {
  if (waiting(ledger, job, trigger, env).some((each) => (waitsUntil(each) ?? 0) <= at)) return
  ledger.putEvaluation({
    ...newEvaluation({ trigger, job, jobModifyIndex }, env),
    StatusDescription,
    WaitUntil: rfc3339(at),
  })
}

/** Evaluates a job now if others of its allocations wait for one that was updated. */
export function wakeHealthWaits(ledger: Ledger, name: JobName, env: Env): void {
  const [first] = waiting(ledger, name, 'node-drain', env)
  const evaluation = first && ledger.evaluation(first.ID)
  if (evaluation === undefined) return
  ledger.putEvaluation(Object.assign({}, evaluation, { WaitUntil: null, ModifyTime: nanoseconds(env.now) }))
}
