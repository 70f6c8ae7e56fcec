import * as z from 'zod'
import type { Worker } from './worker.ts'

/** A worker as a health probe reads it. */
export const WorkerHealth = z
  .object({
    worker_process_info: z.object({
      state: z.enum(['active', 'shutdown', 'unknown']),
      active_session_count: z.int(),
      upstream_connection_state: z.enum(['CONNECTING', 'READY', 'TRANSIENT_FAILURE', 'IDLE', 'SHUTDOWN']),
      session_connections: z.record(z.string(), z.int()).optional(),
    }),
  })
  .meta({ id: 'WorkerHealth' })
/**
 * A worker as a health probe reads it.
 */
export interface WorkerHealth extends z.infer<typeof WorkerHealth> {}

/** The number of sessions is always present; their map only if there are any. */
export const toWorkerHealth = ({ state, connection, sessions }: Worker): WorkerHealth => {
  const active_session_count = Object.keys(sessions).length
  return {
    worker_process_info: {
      state,
      active_session_count,
      upstream_connection_state: connection,
      ...(active_session_count > 0 ? { session_connections: { ...sessions } } : {}),
    },
  }
}

const truths: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
const lies: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

/** The spellings of a boolean that the endpoint accepts in its query. */
export const BooleanText = z.string().transform((text, context) => {
  if (truths.has(text) || lies.has(text)) return truths.has(text)
  context.addIssue({
    code: 'custom',
    message: `${JSON.stringify(text)} is not a boolean: use 1 or 0, true or false`,
  })
  return z.NEVER
})
