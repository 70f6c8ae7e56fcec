import type { Table, Tx } from '../../../store/index.ts'
import type { Evaluation, EvaluationRecord } from '../../evaluations/model.ts'
import {
  type EvaluationPhase,
  isTerminalEvaluation,
  type KeptEvaluations,
  phaseOf,
} from '../../evaluations/rules.ts'
import { evaluationRecords } from '../../records/collections.ts'
import { beginning } from '../read/list.ts'
import type { OfJob } from './job-children.ts'

/** How many evaluations of a job one commit removes: it adds fewer, and has 64 keys. */
const removedAtOnce = 4

/** The evaluations of jobs, with the writes of one commit. Most of a job's are finished and never read again. */
export function jobEvaluations(tx: Tx, table: Table<Evaluation>) {
  const written = new Map<string, EvaluationRecord | undefined>()

  /** The evaluations in some phases, oldest first; of the stored ones at least the given number of newest per phase. */
  const find = (
    { name: { Namespace, ID } }: OfJob,
    phases: readonly EvaluationPhase[],
    newest?: number,
  ): readonly EvaluationRecord[] => {
    // The commit fails if any of the job's records changes before it: the result depends on all of them.
    const isEmpty = tx.guard(evaluationRecords.name, 'job', Namespace, ID) === 0
    const limit = newest === undefined ? undefined : newest + written.size
    const found: { readonly row: EvaluationRecord; readonly created: number }[] = []
    for (const phase of isEmpty ? [] : phases) {
      const range = { prefix: beginning([Namespace, ID, phase]), reverse: true, limit }
      for (const row of table.at(tx.now).by('phase').scan(range))
        if (!written.has(row.ID)) found.push({ row, created: row.CreateIndex })
    }
    for (const row of written.values()) {
      if (row?.Namespace !== Namespace || row.JobID !== ID) continue
      // New ones come last.
      found.push({ row, created: tx.now.get(evaluationRecords.keyOf(row.ID))?.created ?? Number.MAX_VALUE })
    }
    return found.sort((a, b) => a.created - b.created).map(({ row }) => row)
  }

  /** Removes the oldest finished or never processed evaluations of a job if it has too many. */
  const boundOne = ([Namespace, JobID]: readonly [string, string], { most, phases }: KeptEvaluations) => {
    if (tx.guard(evaluationRecords.name, 'job', Namespace, JobID) === 0) return
    for (const phase of phases) {
      const range = { prefix: beginning([Namespace, JobID, phase]), limit: most + removedAtOnce }
      const stored = table.at(tx.now).by('phase').scan(range)
      // Those that this commit adds come last.
      const added = [...written.values()].filter(
        (row) => row?.Namespace === Namespace && row.JobID === JobID && phaseOf(row) === phase,
      )
      const kept = stored.filter(({ ID }) => !written.has(ID))
      for (const { ID } of kept.slice(0, Math.max(0, kept.length + added.length - most))) {
        tx.delete(evaluationRecords, ID)
        written.set(ID, undefined)
      }
    }
  }

  return {
    /** Limits the evaluations of the jobs to which this commit adds some. */
    bound: (kept: KeptEvaluations) => {
      const jobs = new Map<string, readonly [string, string]>()
      for (const row of written.values())
        if (row !== undefined) jobs.set(beginning([row.Namespace, row.JobID]), [row.Namespace, row.JobID])
      if (jobs.size > removedAtOnce) return
      for (const job of jobs.values()) boundOne(job, kept)
    },
    put: (row: EvaluationRecord) => {
      tx.put(evaluationRecords, row)
      written.set(row.ID, row)
    },
    delete: (id: string) => {
      tx.delete(evaluationRecords, id)
      written.set(id, undefined)
    },
    /** The unfinished evaluations of a job. */
    open: (account: OfJob): readonly EvaluationRecord[] =>
      find(account, ['open', 'queued']).filter((each) => !isTerminalEvaluation(each)),
    /** The evaluations of a job that determine its status and its queued counts. */
    deciding: (account: OfJob): readonly EvaluationRecord[] => find(account, ['over', 'open', 'queued'], 1),
  }
}
