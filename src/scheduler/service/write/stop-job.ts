import type { Env } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import type { AllocationMoved } from '../../allocations/move.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import { type EvaluationMoved, moveEvaluation } from '../../evaluations/move.ts'
import { descriptions } from '../../placement/group-work.ts'
import { jobVersionRecords, purgeRecords } from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import type { JobName, Ledger } from './ledger.ts'
import { mustRecord } from './record.ts'
import { earlierVersions } from './specification.ts'
import { recordStop } from './stop-allocation.ts'

/** How many allocations one commit stops: a commit has 64 keys. */
const batch = 12

/** Purges a job: none of its records can be found from now on; they are removed later. */
export function removeJob(ledger: Ledger, name: JobName, created: number): void {
  for (const { Version } of earlierVersions(ledger, name))
    ledger.tx.delete(jobVersionRecords, name.Namespace, name.ID, Version)
  ledger.deleteJob(name)
  ledger.tx.put(purgeRecords, { Namespace: name.Namespace, JobID: name.ID, JobCreateIndex: created })
}

/**
 * Applies the stop of a job, which needs no choice of nodes: stops its allocations in batches, and ends its evaluations.
 */
export async function workOffStop(
  cluster: Cluster,
  name: JobName,
  isClosed: () => boolean = () => false,
): Promise<void> {
  /** The running allocations, read once: there can be thousands, and each commit stops a few. */
  let live: readonly string[] = []
  for (let more = true; more && !isClosed(); ) {
    const { value } = await mustRecord(cluster, (ledger, env) => {
      if (ledger.job(name)?.value.Stop !== true)
        return { ok: true, value: { more: false, left: [] }, events: [] }
      const due = live.length > 0 ? live : liveOf(ledger, name)
      const stopped = due
        .slice(0, batch)
        .flatMap((id) => recordStop(cluster, ledger, ledger.allocation(id), notNeeded, env))
      const left = due.slice(batch)
      if (left.length > 0 || live.length > 0)
        return { ok: true, value: { more: true, left }, events: stopped }
      const ended = endEvaluations(ledger, name, env)
      return { ok: true, value: { more: ended.more, left }, events: [...stopped, ...ended.events] }
    })
    live = value.left
    more = value.more
    await nextMacrotask()
  }
}

const liveOf = (ledger: Ledger, name: JobName): readonly string[] =>
  ledger.allocations(name).flatMap((each) => (isTerminalAllocation(each) ? [] : each.ID))

/** Completes the newest evaluation of a stopped job and cancels those before it. */
function endEvaluations(
  ledger: Ledger,
  name: JobName,
  env: Env,
): { readonly more: boolean; readonly events: readonly (EvaluationMoved | AllocationMoved)[] } {
  const open = ledger.openEvaluations(name)
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
