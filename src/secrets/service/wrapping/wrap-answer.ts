import type { ReceivedCall, Reply } from '../../../http/index.ts'
import { reply } from '../../../http/index.ts'
import type { Refused } from '../../../kernel/index.ts'
import type { SecretsContext } from '../core/context.ts'
import { envelope, jsonOf } from '../core/envelope.ts'
import { timeText } from '../core/time-text.ts'
import { type Wrapped, wrap } from './operations.ts'

/** Routes that return wrapped answers, which a header must not wrap again. */
const neverWrapped: readonly string[] = ['sys.unwrap', 'sys.wrapping-lookup', 'sys.rewrap']

/** Wraps a reply if its request asks for that. Replies without an envelope, and errors, are not wrapped. */
export async function wrapReply(
  reply: Reply,
  { route, context }: ReceivedCall<SecretsContext>,
): Promise<Reply | Refused<string>> {
  if (neverWrapped.includes(route.id) || !isEnvelope(reply)) return reply
  const answer = { json: jsonOf(reply.body), status: reply.status ?? 200 }
  const wrapped = await wrap(context, answer, { path: context.path, ttlSeconds: context.wrapTtlSeconds })
  return wrapped.ok ? wrappedReply(wrapped.value, context.path, accessorIn(reply.body)) : wrapped
}

/** A deleted version is an envelope, too: 404 with its metadata. */
const isEnvelope = ({ status = 200, body }: Reply): boolean =>
  typeof body === 'object' &&
  body !== null &&
  'request_id' in body &&
  (status === 200 || (status === 404 && 'data' in body && body.data !== null))

/** The accessor of a token in a wrapped answer: returned, so that the token can be revoked without unwrapping. */
function accessorIn(body: unknown): string | undefined {
  const auth = typeof body === 'object' && body !== null && 'auth' in body ? body.auth : undefined
  const accessor = typeof auth === 'object' && auth !== null && 'accessor' in auth ? auth.accessor : undefined
  return typeof accessor === 'string' ? accessor : undefined
}

/** The answer instead of a wrapped one (`wrap_info`). */
export const wrappedReply = ({ token, text }: Wrapped, path: string, wrappedAccessor?: string): Reply =>
  reply(
    envelope('', '', {
      wrap_info: {
        token: text,
        accessor: token.accessor,
        ttl: token.creationTtlSeconds,
        creation_time: timeText(token.createdAt),
        creation_path: path,
        ...(wrappedAccessor === undefined ? {} : { wrapped_accessor: wrappedAccessor }),
      },
    }),
  )
