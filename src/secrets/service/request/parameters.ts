import type { ReceivedCall } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { type Acl, decide } from '../../acl/index.ts'
import { rightsOf } from '../access/rights.ts'
import type { Decided, SecretsContext } from '../core/context.ts'
import { isMap } from '../core/fields.ts'

/**
 * Checks the rights of a caller again once the body is read: some rules depend on parameters, and the caller may have
 * lost the right while a slow body arrived.
 */
export function parametersProblem(
  call: ReceivedCall<SecretsContext>,
): Refused<'permission_denied'> | undefined | Promise<Refused<'permission_denied'> | undefined> {
  const { services, env, decided } = call.context
  if (decided === undefined) return undefined
  if (services.core.env().now !== env.now) return judgeLate(call, decided)
  return decided.restsOnParameters ? judge(call, decided, decided.acl) : undefined
}

async function judgeLate(call: ReceivedCall<SecretsContext>, decided: Decided) {
  const { services, caller } = call.context
  const token = caller && (await services.tokens.still(caller))
  return judge(call, decided, await rightsOf(services, services.core.barrier.enter().view.stale(), token))
}

function judge(
  { query, json }: ReceivedCall<SecretsContext>,
  { request }: Decided,
  acl: Acl,
): Refused<'permission_denied'> | undefined {
  // Only the parameters that the route will read: it ignores a query beside a body.
  const parameters = request.operation === 'read' ? query : isMap(json) ? json : {}
  const { allowed } = decide(acl, { ...request, parameters })
  return allowed ? undefined : refuse('permission_denied', 'permission denied')
}
