import type { ReceivedCall } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { decide } from '../../acl/index.ts'
import type { SecretsContext } from '../context.ts'
import { isMap } from '../fields.ts'
import { rightsOf } from './rights.ts'

/**
 * Judges a caller once more when the body is there: some rules look at parameters, which were not known before. And a
 * body takes as long as its sender likes, who may have lost the right to send it by the end of it.
 */
export async function parametersProblem({
  context: { services, env, caller, decided },
  query,
  json,
}: ReceivedCall<SecretsContext>): Promise<Refused<'permission_denied'> | undefined> {
  if (caller === undefined || decided === undefined) return undefined
  const isLate = services.core.env().now !== env.now
  if (!isLate && !decided.restsOnParameters) return undefined
  const token = isLate ? await services.tokens.still(caller) : caller.token
  const acl = isLate ? await rightsOf(services, token) : decided.acl
  // What the route will read, and nothing else: a query beside a body means nothing to it.
  const parameters = decided.request.operation === 'read' ? query : isMap(json) ? json : {}
  const { allowed } = decide(acl, { ...decided.request, parameters })
  return allowed ? undefined : refuse('permission_denied', 'permission denied')
}
