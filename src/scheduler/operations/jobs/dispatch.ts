import * as z from 'zod'
import { argument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import { type DispatchInput, dispatchJob } from '../../jobs/dispatch.ts'
import { jobRecords } from '../../records/collections.ts'
import type { Written } from '../../service/call.ts'
import type { Cluster } from '../../service/cluster.ts'
import { beginning } from '../../service/read/list.ts'
import type { JobName, Ledger } from '../../service/write/ledger.ts'
import { call, id } from '../arguments.ts'
import type { JobCall } from '../calls.ts'
import { actOnJob, registrationsClosed } from './act-on-job.ts'
import { registerChild } from './register-child.ts'

/**
 * The child of a dispatch, new or existing.
 */
export interface JobDispatched {
  readonly DispatchedJobID: string
  readonly EvalID: string
  readonly EvalCreateIndex: number
  readonly JobCreateIndex: number
}

const text = z.string()
const dispatch = argument<DispatchInput>(
  'input',
  fields({
    payload: text.optional(),
    meta: z.record(text, text).optional(),
    idPrefix: text.optional(),
    idempotencyToken: text.optional(),
  } satisfies Record<keyof DispatchInput, z.ZodType>),
)

export const dispatchOperations = {
  /**
   * Dispatches a parameterized job; requires `namespace:dispatch-job`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerJob({ ID: 'mail', Type: 'batch', ParameterizedJob: { MetaRequired: ['to'] }, TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }] })
   * const child = await scheduler.dispatchJob('mail', { meta: { to: 'ada' } })
   * child.ok && child.value.DispatchedJobID.startsWith('mail/dispatch-') // true
   * ```
   */
  dispatchJob: operation({
    takes: [id, dispatch, call],
    refuses: [
      'permission_denied',
      'job_not_found',
      'registration_disabled',
      'not_parameterized',
      'job_is_stopped',
      'invalid_dispatch',
    ],
    run: (cluster: Cluster, id: string, input: DispatchInput, call: JobCall = {}) =>
      actOnJob(
        cluster,
        id,
        call,
        { may: ['dispatch-job'], refused: registrationsClosed },
        (ledger, job, env) => {
          const twin = childWithToken(cluster, ledger, job.value, input.idempotencyToken)
          if (twin !== undefined)
            return {
              ok: true,
              value: (rev) => dispatched(twin.ID, undefined, rev, twin.CreateIndex),
              events: [],
            }
          const outcome = dispatchJob(job.value, input, env)
          if (!outcome.ok) return outcome
          const { evaluation } = registerChild(ledger, outcome.value, 'job-register', env)
          return {
            ok: true,
            value: (rev) => dispatched(outcome.value.ID, evaluation?.ID, rev, rev),
            events: outcome.events,
          }
        },
      ),
  }),
}

const dispatched = (
  child: string,
  evaluation: string | undefined,
  rev: number,
  JobCreateIndex: number,
): Written<JobDispatched> => ({
  ok: true,
  value: {
    DispatchedJobID: child,
    EvalID: evaluation ?? '',
    EvalCreateIndex: evaluation === undefined ? 0 : rev,
    JobCreateIndex,
  },
  index: rev,
})

/** The child that an earlier dispatch with the same token made. */
function childWithToken(
  { tables }: Cluster,
  { tx }: Ledger,
  { Namespace, ID }: JobName,
  token: string | undefined,
) {
  if (token === undefined || token === '') return undefined
  tx.guard(jobRecords.name, 'children', Namespace, ID)
  return tables.jobs
    .at(tx.now)
    .by('parent')
    .scan({ prefix: beginning([Namespace, ID]) })
    .find((child) => child.DispatchIdempotencyToken === token)
}
