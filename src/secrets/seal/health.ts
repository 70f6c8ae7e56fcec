import { type Refused, refuse } from '../../kernel/index.ts'
import { ownValue } from '../../kernel/objects.ts'
import type { SealState } from './rules.ts'

/**
 * The role of a server among several.
 */
export type ServerRole = 'active' | 'standby' | 'performance-standby' | 'recovery-secondary'

/** The inputs of a health answer: the role, and its overrides. */
type Condition = ServerRole | 'uninitialized' | 'sealed'

/** The default status of each condition, and the query parameter that sets another. */
const healthStatus = {
  active: { status: 200, parameter: 'activecode' },
  standby: { status: 429, parameter: 'standbycode' },
  'recovery-secondary': { status: 472, parameter: 'drsecondarycode' },
  'performance-standby': { status: 473, parameter: 'performancestandbycode' },
  uninitialized: { status: 501, parameter: 'uninitcode' },
  sealed: { status: 503, parameter: 'sealedcode' },
} as const satisfies Readonly<Record<Condition, { readonly status: number; readonly parameter: string }>>

/**
 * The status of a health answer (429 standby, 473 performance standby).
 *
 * @param query - the request's overrides: `activecode`, `standbycode`, `sealedcode`…; `standbyok` and
 * `perfstandbyok` count a standby as active
 * @returns the status, or `invalid_health_code` for an override that is not an HTTP status
 */
export function healthCode(
  state: SealState,
  role: ServerRole,
  query: Readonly<Record<string, string | undefined>>,
): number | Refused<'invalid_health_code'> {
  const asked = (name: string): string | undefined => ownValue(query, name)
  const isOn = (name: string) => {
    const value = asked(name)
    return value !== undefined && !/^(0|f|false)$/i.test(value)
  }
  for (const { parameter } of Object.values(healthStatus)) {
    const value = asked(parameter)
    if (value !== undefined && !/^[2-5]\d\d$/.test(value))
      return refuse('invalid_health_code', `bad value for ${parameter}: use an HTTP status from 200 to 599`)
  }
  const code = (condition: Condition) => {
    const { status, parameter } = healthStatus[condition]
    return Number(asked(parameter) ?? status)
  }
  if (state === 'uninitialized') return code('uninitialized')
  if (state === 'sealed') return code('sealed')
  const forgiven =
    (role === 'standby' && isOn('standbyok')) ||
    (role === 'performance-standby' && (isOn('perfstandbyok') || isOn('standbyok')))
  return code(forgiven ? 'active' : role)
}
