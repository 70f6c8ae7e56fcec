import type { ReceivedCall } from '../../../http/index.ts'
import { resultInSlices } from '../../../kernel/in-slices.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { isObject } from '../../../kernel/objects.ts'
import { decidingAsked } from '../../acl/decide.ts'
import type { Acl } from '../../acl/index.ts'
import { rightsOf } from '../access/rights.ts'
import type { Decided, SecretsContext } from '../core/context.ts'
import { currentToken } from '../tokens/find-token.ts'

/**
 * Checks the rights of a caller again once the body is read: some rules depend on parameters, and the caller may have
 * lost the right while a slow body arrived.
 */
export function parametersProblem(
  call: ReceivedCall<SecretsContext>,
): undefined | Promise<Refused<'permission_denied'> | undefined> {
  const { core, env, decided } = call.context
  if (decided === undefined) return undefined
  if (core.env().now !== env.now) return judgeLate(call, decided)
  return decided.restsOnParameters ? judge(call, decided, decided.acl) : undefined
}

async function judgeLate(call: ReceivedCall<SecretsContext>, decided: Decided) {
  const { core, caller } = call.context
  const token = caller && (await currentToken(core, caller))
  const acl = await rightsOf(core, core.barrier.enter().view.stale(), token)
  // The same policies decide the same, but for parameters.
  return acl === decided.acl && !decided.restsOnParameters ? undefined : judge(call, decided, acl)
}

async function judge(
  { query, json }: ReceivedCall<SecretsContext>,
  { request }: Decided,
  acl: Acl,
): Promise<Refused<'permission_denied'> | undefined> {
  // Only the parameters that the route will read: it ignores a query beside a body.
  const parameters = request.operation === 'read' ? query : isObject(json) ? json : {}
  const { allowed } = await resultInSlices(decidingAsked(acl, { ...request, parameters }))
  return allowed ? undefined : refuse('permission_denied', 'permission denied')
}
