import { holdsMoreThan, type JsonLimits } from '../../../http/json-limits.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'

/** 32 MiB, the largest request, with a margin for programs that embed the service. */
const mostUnits = 48 * 1024 * 1024

const mostValues = 30_000
const mostInOne = 10_000

/**
 * How many values a secret may have, and the body of any request: reading and writing more would hold the process. The
 * original has the same limit for one object or list.
 */
export const secretLimits: JsonLimits = { all: mostValues, each: mostInOne }

const tooMany = refuse(
  'secret_too_large',
  `the secret has more than ${mostValues} values, or more than ${mostInOne} in one object or list`,
)

const tooLong = refuse('secret_too_large', 'the secret is larger than 48 Mi characters')

/** Why the JSON text of a secret is not stored. */
export function textProblem(text: string): Refused<'secret_too_large'> | undefined {
  if (text.length > mostUnits) return tooLong
  return holdsMoreThan(text, secretLimits) ? tooMany : undefined
}
