import * as z from 'zod'
import type { ReceivedCall, Reply } from '../../../http/index.ts'
import { isObject } from '../../../kernel/objects.ts'
import type { SecretsContext } from '../core/context.ts'
import { unrecognized } from '../core/fields.ts'

/**
 * Adds warnings about ignored fields of the request: unknown ones, and those that the path sets already. Only answers
 * with an envelope can have warnings, so a 204 has none.
 */
export function warnOfUnknownFields(
  reply: Reply,
  { route, params }: ReceivedCall<SecretsContext>,
  json: Readonly<Record<string, unknown>>,
): Reply {
  const known = fieldsOf(route.body)
  if (known === undefined) return reply
  const names = Object.keys(json).sort()
  const ignored = names.filter((name) => !known.has(name) && !Object.hasOwn(params, name))
  const replaced = names.filter((name) => Object.hasOwn(params, name) && json[name] !== null)
  return warned(reply, [
    ...(ignored.length > 0 ? [unrecognized(ignored)] : []),
    ...(replaced.length > 0
      ? [
          `Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [${replaced.join(' ')}]`,
        ]
      : []),
  ])
}

function warned(answer: Reply, more: readonly string[]): Reply {
  const { body } = answer
  if (more.length === 0 || !isObject(body) || !('request_id' in body)) return answer
  const before = Array.isArray(body['warnings']) ? body['warnings'] : []
  return { ...answer, body: { ...body, warnings: [...before, ...more] } }
}

/** The field names of a body's schema; `undefined` if it accepts any, or there is no schema. */
function fieldsOf(schema: z.ZodType | undefined): ReadonlySet<string> | undefined {
  const inner = schema instanceof z.ZodPipe ? schema.def.out : schema
  return inner instanceof z.ZodObject && inner.def.catchall === undefined
    ? new Set(Object.keys(inner.shape))
    : undefined
}
