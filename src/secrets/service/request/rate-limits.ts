import type { Exchange, ReceivedCall } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { isObject } from '../../../kernel/objects.ts'
import { auditOf } from '../audit/trail.ts'
import type { SecretsContext } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { type CountedRequest, countRequest } from '../quotas/counting.ts'
import { auditedPath } from './audit.ts'
import type { RequestState } from './state.ts'

type Limited = Refused<'rate_limit_exceeded'> | undefined

/** Counts a request whose path is resolved; a refusal if it exceeds a quota. */
export function rateLimited(
  core: Core,
  { state, peer }: Exchange<RequestState>,
  body?: CountedRequest['body'],
): Limited {
  const { arrival } = state
  if (arrival === undefined) return undefined
  const { namespace, place, path, rest } = arrival
  const counted = countRequest(core, {
    namespace,
    mount: place?.mount,
    path,
    rest,
    address: peer?.address,
    body,
  })
  if (counted === undefined) return undefined
  for (const [name, value] of Object.entries(counted.headers)) state.headers.set(name, value)
  if (counted.allowed) return undefined
  state.turn = counted.isAudited ? auditOf(core).begin() : undefined
  return refuse(
    'rate_limit_exceeded',
    `request path ${JSON.stringify(auditedPath(path))}: rate limit quota exceeded`,
  )
}

/** Counts a login that a quota may limit by the role in its body. */
export const loginLimited = (
  core: Core,
  { exchange, json }: ReceivedCall<SecretsContext, RequestState>,
): Limited => rateLimited(core, exchange, isObject(json) ? json : {})
