import type { Env, Instant } from '../../../kernel/index.ts'
import { newEvaluation } from '../../evaluations/create.ts'
import { isWaiting, waitsUntil } from '../../evaluations/rules.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { nanoseconds, rfc3339 } from '../../values/instants.ts'
import type { JobName, Ledger } from './ledger.ts'

/** The trigger of evaluations that wait, on draining nodes, for other allocations of the job to become healthy. */
const waiting = (ledger: Ledger, name: JobName, env: Env) =>
  ledger.openEvaluations(name).filter((each) => each.TriggeredBy === 'node-drain' && isWaiting(each, env.now))

/** Schedules an evaluation of a job at an instant, or as soon as {@link wakeHealthWaits} is called. */
export function waitForHealthy(
  ledger: Ledger,
  {
    job,
    jobModifyIndex,
    at,
  }: { readonly job: JobSpec; readonly jobModifyIndex: number; readonly at: Instant },
  env: Env,
): void {
  if (waiting(ledger, job, env).some((each) => (waitsUntil(each) ?? 0) <= at)) return
  ledger.putEvaluation({
    ...newEvaluation({ trigger: 'node-drain', job, jobModifyIndex }, env),
    StatusDescription: 'created to migrate more allocations once others are healthy',
    WaitUntil: rfc3339(at),
  })
}

/** Evaluates a job now if others of its allocations wait for one that was updated. */
export function wakeHealthWaits(ledger: Ledger, name: JobName, env: Env): void {
  const [first] = waiting(ledger, name, env)
  const evaluation = first && ledger.evaluation(first.ID)
  if (evaluation === undefined) return
  ledger.putEvaluation(Object.assign({}, evaluation, { WaitUntil: null, ModifyTime: nanoseconds(env.now) }))
}
