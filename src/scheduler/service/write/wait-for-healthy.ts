import type { Env, Instant } from '../../../kernel/index.ts'
import { newEvaluation } from '../../evaluations/create.ts'
import { isWaiting, waitsUntil } from '../../evaluations/rules.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { nanoseconds, rfc3339 } from '../../values/instants.ts'
import type { JobName, Ledger } from './ledger.ts'

/** What has a job looked at again that waits, on draining nodes, for its other allocations to prove themselves. */
const waiting = (ledger: Ledger, name: JobName, env: Env) =>
  ledger.openEvaluations(name).filter((each) => each.TriggeredBy === 'node-drain' && isWaiting(each, env.now))

/** Has a job looked at again at an instant, or as soon as {@link wakeHealthWaits} says that there is something to see. */
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

/** Something was heard of one of a job's allocations: where others wait for that, the job is looked at now. */
export function wakeHealthWaits(ledger: Ledger, name: JobName, env: Env): void {
  const [first] = waiting(ledger, name, env)
  const evaluation = first && ledger.evaluation(first.ID)
  if (evaluation === undefined) return
  ledger.putEvaluation({ ...evaluation, WaitUntil: null, ModifyTime: nanoseconds(env.now) })
}
