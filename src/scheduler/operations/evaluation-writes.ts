import * as z from 'zod'
import { FilterError } from '../../filter/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { argument } from '../../operation/arguments.ts'
import { fields } from '../../operation/known-fields.ts'
import { operation } from '../../operation/operation.ts'
import { Evaluation } from '../evaluations/model.ts'
import { isTerminalEvaluation } from '../evaluations/rules.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { WriteCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { configurationAt } from '../service/read/configuration-at.ts'
import { filterFailed, filtersFor } from '../service/read/filter.ts'
import { mustRecord } from '../service/write/record.ts'
import { call } from './arguments.ts'

/**
 * Which evaluations to delete: those with these IDs, or those that match a filter.
 */
export interface DeleteEvaluationsInput {
  readonly ids?: readonly string[] | undefined
  readonly filter?: string | undefined
}

const chosen = argument<DeleteEvaluationsInput>(
  'input',
  fields({
    ids: z.array(z.string()).optional(),
    filter: z.string().optional(),
  } satisfies Record<keyof DeleteEvaluationsInput, z.ZodType>),
)
const filters = filtersFor(Evaluation)

/** How many one commit deletes: each may belong to another job, and a commit has 64 keys. */
const batch = 6

/** The operation that deletes evaluations. */
export const evaluationWriteOperations = {
  /**
   * Deletes finished evaluations, by their IDs or by a filter; requires management. If a named one is not finished,
   * none is deleted; a filter skips such evaluations. A scheduler that places jobs has to be paused first
   * (`PauseEvalBroker` of the scheduler configuration).
   *
   * @returns how many were deleted
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.load({ evaluations: [{ ID: 'e1', JobID: 'web', Status: 'complete' }] })
   * const gone = await scheduler.deleteEvaluations({ filter: 'JobID == "web"' })
   * gone.ok && gone.value.Count // 1
   * ```
   */
  deleteEvaluations: operation({
    takes: [chosen, call],
    refuses: [
      'permission_denied',
      'evaluations_are_processed',
      'evaluation_not_found',
      'evaluation_is_open',
      'invalid_evaluation_choice',
      'invalid_filter',
      'filter_failed',
    ],
    run: (cluster: Cluster, { ids = [], filter = '' }: DeleteEvaluationsInput, call: WriteCall = {}) =>
      enter(cluster, call, async ({ now, access }) => {
        if (!access.management) return permissionDenied()
        const isFiltered = filter.trim() !== ''
        if (isFiltered === ids.length > 0)
          return refuse(
            'invalid_evaluation_choice',
            isFiltered
              ? 'evaluations cannot be deleted by both ID and filter'
              : 'evaluations must be deleted by either ID or filter',
          )
        if (cluster.places && !configurationAt(now).PauseEvalBroker)
          return refuse(
            'evaluations_are_processed',
            'eval broker is enabled; eval broker must be paused to delete evals',
          )
        const rows = cluster.tables.evaluations.at(now)
        const due: Evaluation[] = []
        if (isFiltered) {
          const compiled = filters(filter)
          if (!compiled.ok) return compiled
          let chunks = 0
          for (const chunk of rows.chunks({})) {
            const over = chunk.filter(isTerminalEvaluation)
            const passed = select(over, (each) => compiled.value?.select(each) ?? [])
            if ('refusal' in passed) return passed
            due.push(...passed)
            chunks += 1
            if (chunks % 16 === 0) await nextMacrotask()
          }
        } else
          for (const id of new Set(ids)) {
            const row = rows.get(id)
            if (row === undefined) return refuse('evaluation_not_found', 'eval not found')
            if (!isTerminalEvaluation(row))
              return refuse(
                'evaluation_is_open',
                `evaluation ${id} is ${row.Status}: only finished evaluations can be deleted`,
              )
            due.push(row)
          }
        let [Count, index] = [0, Math.max(1, now.rev)]
        for (let at = 0; at < due.length; at += batch) {
          const { value, rev } = await mustRecord(cluster, (ledger) => {
            let gone = 0
            for (const { ID, Namespace, JobID } of due.slice(at, at + batch)) {
              const evaluation = ledger.evaluation(ID)
              if (evaluation === undefined || !isTerminalEvaluation(evaluation)) continue
              ledger.delete('evaluation', ID, { Namespace, ID: JobID })
              gone += 1
            }
            return { ok: true, value: gone, events: [] }
          })
          Count += value
          index = rev
          await nextMacrotask()
        }
        return { ok: true as const, value: { Count }, index }
      }),
  }),
}

function select(
  rows: readonly Evaluation[],
  filter: (rows: readonly Evaluation[]) => readonly Evaluation[],
): readonly Evaluation[] | Refused<'filter_failed'> {
  try {
    return filter(rows)
  } catch (error) {
    if (error instanceof FilterError) return filterFailed(error)
    throw error
  }
}
