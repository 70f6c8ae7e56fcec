import { type ErrorDialect, errorsArray } from '../../../http/index.ts'
import type { Refusal } from '../../../kernel/index.ts'
import { listProblems } from '../../kv2/custom-metadata.ts'

/** Refusals that this API answers as a list of one error, in the long form. */
const listed = new Set([
  'unsupported_path',
  'trailing_period',
  'unsupported_operation',
  'unknown_token',
  'bad_accessor',
])

/** Refusals with a status and without an error text. */
const silent = new Set(['list_not_boolean', 'unknown_verb', 'no_route', 'method_not_allowed'])

const messageOf = ({ code, message }: Refusal): string => {
  if (silent.has(code)) return ''
  if (listed.has(code)) return listProblems([message])
  if (code === 'body_not_json') return `failed to parse JSON input: ${message}`
  if (code === 'body_too_large') return 'failed to parse JSON input: http: request body too large'
  return message
}

/** `{"errors":[…]}`, with a newline at the end. */
export const secretsDialect: ErrorDialect = Object.assign(
  (refusal: Refusal, status: number) => {
    const { content, type } = errorsArray({ ...refusal, message: messageOf(refusal) }, status)
    return { content: `${content}\n`, type }
  },
  { schema: errorsArray.schema },
)
