import type { Exchange } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { auditOf } from '../audit/trail.ts'
import type { Core } from '../core/core.ts'
import { type CountedRequest, countRequest } from '../quotas/counting.ts'
import { auditedPath } from './audit.ts'
import type { RequestState } from './state.ts'

/** Counts a request whose path is resolved; a refusal if it exceeds a quota. */
export function rateLimited(
  core: Core,
  { state, peer }: Exchange<RequestState>,
  body?: CountedRequest['body'],
): Refused<'rate_limit_exceeded'> | undefined {
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
  if (counted === 'needs body') state.limitNeedsBody = true
  if (counted === undefined || counted === 'needs body') return undefined
  for (const [name, value] of Object.entries(counted.headers)) state.headers.set(name, value)
  if (counted.allowed) return undefined
  state.turn = counted.isAudited ? auditOf(core).begin() : undefined
  return refuse(
    'rate_limit_exceeded',
    `request path ${JSON.stringify(auditedPath(path))}: rate limit quota exceeded`,
  )
}
