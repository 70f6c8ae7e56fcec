import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { childOf, type JobLaunched, launched } from './child.ts'
import type { JobSpec } from './model.ts'
import { nameProblems } from './name-problems.ts'

/**
 * The input of a dispatch of a parameterized job.
 */
export interface DispatchInput {
  /** Base64; empty or omitted for none. */
  readonly payload?: string | undefined
  readonly meta?: Readonly<Record<string, string>> | undefined
  /** Inserted between the parent's id and the rest of the child's. */
  readonly idPrefix?: string | undefined
  /** A repeated dispatch with the same token returns the first one's child. */
  readonly idempotencyToken?: string | undefined
}

/** Why a job cannot be dispatched. */
export type DispatchRefusal = 'not_parameterized' | 'job_is_stopped' | 'invalid_dispatch'

/** The maximum decoded size of a payload, in bytes. */
const maxPayload = 16 * 1024

/**
 * Creates the child job of a dispatch. The parent does not change; the child is the value.
 *
 * @returns the child: a copy of the parent named `<parent>/dispatch-<seconds>-<8 hex digits>`, or
 * `not_parameterized`, `job_is_stopped`, `invalid_dispatch` (every problem of payload and metadata)
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { dispatchJob, JobSpec } from 'plinth/scheduler'
 *
 * const mail = JobSpec.parse({ ID: 'mail', Type: 'batch', ParameterizedJob: {} })
 * const env = { now: 0, newId: () => '0123456789' }
 * const child = dispatchJob(mail, { meta: {} }, env)
 * unwrap(child).ID // 'mail/dispatch-0-01234567'
 * ```
 */
export function dispatchJob(
  parent: JobSpec,
  input: DispatchInput,
  env: Env,
): Outcome<JobSpec, JobSpec, JobLaunched, DispatchRefusal> {
  checkArguments('parent input env', parent, input, env)
  if (parent.ParameterizedJob === null)
    return refuse('not_parameterized', `Specified job "${parent.ID}" is not a parameterized job`)
  if (parent.Stop) return refuse('job_is_stopped', `Specified job "${parent.ID}" is stopped`)
  const problems = dispatchProblems(parent.ParameterizedJob, input)
  if (problems.length > 0) return refuse('invalid_dispatch', problems.join('; '))
  const prefix = input.idPrefix === undefined || input.idPrefix === '' ? '' : `${input.idPrefix}-`
  const suffix = env.newId('dispatch').replaceAll('-', '').slice(0, 8)
  const id = `${parent.ID}/dispatch-${prefix}${Math.floor(env.now / 1000)}-${suffix}`
  const child: JobSpec = {
    ...childOf(parent, id, env),
    ParameterizedJob: null,
    Dispatched: true,
    DispatchIdempotencyToken: input.idempotencyToken ?? '',
    Payload: input.payload === undefined || input.payload === '' ? null : input.payload,
    Meta: { ...parent.Meta, ...input.meta },
  }
  return launched(parent, child)
}

/** The decoded size of a base64 string in bytes. */
const decodedLength = (text: string): number =>
  (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)

function dispatchProblems(
  config: NonNullable<JobSpec['ParameterizedJob']>,
  { payload = '', meta = {}, idPrefix = '' }: DispatchInput,
): readonly string[] {
  const problems: string[] = [...nameProblems('Dispatched job ID prefix', idPrefix, 128)]
  if (payload === '' && config.Payload === 'required')
    problems.push('Payload is not provided but required by parameterized job')
  if (payload !== '' && config.Payload === 'forbidden')
    problems.push('Payload provided but forbidden by parameterized job')
  if (payload.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(payload))
    problems.push('Payload is not base64')
  if (decodedLength(payload) > maxPayload)
    problems.push(`Payload exceeds maximum size of ${maxPayload} bytes`)
  const required = config.MetaRequired ?? []
  const allowed = new Set([...required, ...(config.MetaOptional ?? [])])
  const missing = required.filter((key) => !Object.hasOwn(meta, key))
  const strange = Object.keys(meta).filter((key) => !allowed.has(key))
  if (missing.length > 0) problems.push(`Dispatch did not provide required meta keys: ${missing.join(', ')}`)
  if (strange.length > 0)
    problems.push(`Dispatch request included unpermitted metadata keys: ${strange.join(', ')}`)
  return problems
}
