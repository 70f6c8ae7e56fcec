import * as z from 'zod'
import { type Reply, route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { writeExact } from '../../kv2/exact-json.ts'
import { answerWith, type SecretsContext } from '../core/context.ts'
import { JsonText } from '../core/envelope.ts'
import { readBody } from '../core/exact-body.ts'
import { textField } from '../core/fields.ts'
import { enveloped, Kept, Unwrapped, Wrapped } from '../core/reply-shapes.ts'
import { timeText } from '../core/time-text.ts'
import { tokenOf } from '../core/token-of.ts'
import { wrappedReply } from './wrap-answer.ts'

const at = route<SecretsContext>()

const text = z.string()
const number = z.int()

export const WrappingLookup = enveloped(
  z.object({ creation_ttl: number, creation_time: text, creation_path: text }),
)

const TokenBody = z.preprocess((value) => value ?? {}, z.looseObject({ token: textField }))

const refusals = ['wrapping_token_bad', 'wrapping_token_missing'] as const
type Answer = Promise<Reply | Refused<(typeof refusals)[number]>>

const missing = () => refuse('wrapping_token_missing', 'missing "token" value in input')

/** The routes of wrapped answers, relative to the system mount. */
export const wrappingRoutes = [
  at({
    id: 'sys.wrap',
    method: 'POST',
    path: '/wrapping/wrap',
    summary: 'Wrap arbitrary data, with the wrap TTL of the request',
    access: 'update',
    refusals: ['wrap_ttl_missing', 'data_not_a_map', 'data_too_deep'],
    accepts: Kept,
    reply: Wrapped,
    handle: ({ context, text }): Reply | Refused<'wrap_ttl_missing' | 'data_not_a_map' | 'data_too_deep'> => {
      if (context.wrapTtlSeconds === 0)
        return refuse(
          'wrap_ttl_missing',
          'endpoint requires response wrapping to be used: send the wrap TTL in a header',
        )
      const body = readBody(text)
      return 'ok' in body ? body : answerWith(context, { data: new JsonText(writeExact(body)) })
    },
  }),
  at({
    id: 'sys.wrapping-lookup',
    method: ['GET', 'POST'],
    path: '/wrapping/lookup',
    summary: 'Read when and where a wrapping token was created, without unwrapping it',
    access: 'none',
    body: TokenBody,
    refusals,
    reply: WrappingLookup,
    handle: async ({ context, body, exchange }): Answer => {
      const text = body.token || tokenOf(exchange, context.services.core.words)
      if (!text) return missing()
      const found = await context.services.wrapping.lookup(text)
      if (!found.ok) return found
      const { creationTtlSeconds, createdAt, path } = found.value
      return answerWith(context, {
        data: { creation_ttl: creationTtlSeconds, creation_time: timeText(createdAt), creation_path: path },
      })
    },
  }),
  at({
    id: 'sys.unwrap',
    method: 'POST',
    path: '/wrapping/unwrap',
    summary: 'Unwrap the response of a wrapping token, once: the token in the body, or the calling token',
    access: 'none',
    body: TokenBody,
    refusals,
    reply: Unwrapped,
    handle: async ({ context, body, exchange }): Answer => {
      const text = body.token || tokenOf(exchange, context.services.core.words)
      if (!text) return missing()
      const opened = await context.services.wrapping.unwrap(text)
      return opened.ok ? { status: 200, body: new JsonText(opened.value.json) } : opened
    },
  }),
  at({
    id: 'sys.rewrap',
    method: 'POST',
    path: '/wrapping/rewrap',
    summary: 'Move a wrapped response to a new wrapping token with the same TTL',
    access: 'update',
    body: TokenBody,
    refusals,
    reply: Wrapped,
    handle: async ({ context, body }): Answer => {
      if (!body.token) return missing()
      const opened = await context.services.wrapping.unwrap(body.token)
      if (!opened.ok) return opened
      const { json, token } = opened.value
      const again = await context.services.wrapping.wrap(json, {
        namespace: context.namespace,
        path: token.path,
        ttlSeconds: token.creationTtlSeconds,
      })
      return again.ok ? wrappedReply(again.value, token.path) : again
    },
  }),
]
