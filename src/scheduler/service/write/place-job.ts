import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { isTerminalEvaluation, isWaiting } from '../../evaluations/rules.ts'
import type { Cluster } from '../cluster.ts'
import { moveOn } from './close-evaluation.ts'
import { JobPlan } from './job-plan.ts'
import { PlacingPass } from './placing-pass.ts'

/**
 * Processes an evaluation, commit by commit: stops, updates and places allocations, and starts and updates the
 * deployment of the current version. The plan is made once and carried out in as many commits as it takes, unless
 * something else changes the job or its nodes; the event loop continues after each.
 */
export async function placeJob(
  cluster: Cluster,
  evaluationId: string,
  isClosed: () => boolean,
): Promise<void> {
  const plan = new JobPlan(cluster)
  for (let more = true; more && !isClosed(); ) {
    await cluster.fleet.prepare()
    more = await plan.advance((ledger, env) => {
      const evaluation = ledger.evaluation(evaluationId)
      if (evaluation === undefined || isTerminalEvaluation(evaluation) || isWaiting(evaluation, env.now))
        return { ok: true, value: false, events: [] }
      const name = { Namespace: evaluation.Namespace, ID: evaluation.JobID }
      const job = ledger.job(name)
      if (job === undefined) {
        const description = `job ${name.ID} deleted`
        const verb = evaluation.Status === 'pending' ? 'complete' : 'cancel'
        return { ok: true, value: false, events: moveOn(ledger, evaluation, { verb, description }, env) }
      }
      if (job.value.Stop) return { ok: true, value: false, events: [] }
      return new PlacingPass(cluster, ledger, job, evaluation, env).run(plan, name)
    })
    await nextMacrotask()
  }
}
