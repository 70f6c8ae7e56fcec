import * as z from 'zod'
import { writeExact } from '../../kv2/exact-json.ts'
import { answerWith, asData, operationRoute } from '../core/context.ts'
import { JsonText } from '../core/envelope.ts'
import { textField } from '../core/fields.ts'
import { enveloped, Kept, Unwrapped, Wrapped } from '../core/reply-shapes.ts'
import { timeText } from '../core/time-text.ts'
import { tokenOf } from '../tokens/token-strings.ts'
import { wrappingOperations } from './operations.ts'
import { wrappedReply } from './wrap-answer.ts'

const text = z.string()
const number = z.int()

export const WrappingLookup = enveloped(
  z.object({ creation_ttl: number, creation_time: text, creation_path: text }),
)

const TokenBody = z.preprocess((value) => value ?? {}, z.looseObject({ token: textField }))

/** The routes of wrapped answers, relative to the system mount. */
export const wrappingRoutes = [
  operationRoute({
    id: 'sys.wrap',
    method: 'POST',
    path: '/wrapping/wrap',
    summary: 'Wrap arbitrary data, with the wrap TTL of the request',
    access: 'update',
    accepts: Kept,
    reply: Wrapped,
    run: wrappingOperations.wrap,
    with: ({ text }) => [text],
    show: (body, { context }) => answerWith(context, { data: new JsonText(writeExact(body)) }),
  }),
  operationRoute({
    id: 'sys.wrapping-lookup',
    method: ['GET', 'POST'],
    path: '/wrapping/lookup',
    summary: 'Read when and where a wrapping token was created, without unwrapping it',
    access: 'none',
    body: TokenBody,
    reply: WrappingLookup,
    run: wrappingOperations.lookup,
    with: ({ context, body, exchange }) => [body.token || tokenOf(exchange, context.core.words)],
    show: asData(({ creationTtlSeconds, createdAt, path }) => ({
      creation_ttl: creationTtlSeconds,
      creation_time: timeText(createdAt),
      creation_path: path,
    })),
  }),
  operationRoute({
    id: 'sys.unwrap',
    method: 'POST',
    path: '/wrapping/unwrap',
    summary: 'Unwrap the response of a wrapping token, once: the token in the body, or the calling token',
    access: 'none',
    body: TokenBody,
    reply: Unwrapped,
    run: wrappingOperations.unwrap,
    with: ({ context, body, exchange }) => [body.token || tokenOf(exchange, context.core.words)],
    show: ({ json, status }) => ({ status, body: new JsonText(json) }),
  }),
  operationRoute({
    id: 'sys.rewrap',
    method: 'POST',
    path: '/wrapping/rewrap',
    summary: 'Move a wrapped response to a new wrapping token with the same TTL',
    access: 'update',
    body: TokenBody,
    reply: Wrapped,
    run: wrappingOperations.rewrap,
    with: ({ body }) => [body.token],
    show: (again) => wrappedReply(again, again.token.path),
  }),
]
