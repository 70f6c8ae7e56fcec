import type { Exchange, ReceivedCall, Route } from '../../../http/index.ts'
import { requestHead } from '../../../http/request-head.ts'
import { resultInSlices } from '../../../kernel/in-slices.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { isObject } from '../../../kernel/objects.ts'
import { decideRule, decidingAsked } from '../../acl/decide.ts'
import { type Acl, type AclRequest, needsSudo } from '../../acl/index.ts'
import { hasParameterRules } from '../../acl/parameters.ts'
import { rightsAt, rightsOf } from '../access/rights.ts'
import { auditOf } from '../audit/trail.ts'
import { anyTokenOrNone, type Decided, type Operation, type SecretsContext } from '../core/context.ts'
import type { Caller, Core } from '../core/core.ts'
import { parseLifetimeSeconds } from '../core/fields.ts'
import { readListPage } from '../core/list-page.ts'
import { namespaceAt } from '../core/namespaces.ts'
import type { SecretsOptions } from '../core/options.ts'
import { bearerOf, countUse, currentToken } from '../tokens/find-token.ts'
import { lentCaller } from '../tokens/lent.ts'
import type { AuditNotes } from './audit.ts'
import { mountTypes, pathsAboutItself } from './mount-types.ts'
import { rateLimited } from './rate-limits.ts'
import type { RequestState } from './state.ts'

export const denied = refuse('permission_denied', 'permission denied')

/** The caller of a request; `undefined` without rights of its own and without a valid token. */
export function authenticate(
  core: Core,
  exchange: Exchange,
): Caller | undefined | Promise<Caller | undefined> {
  const { authenticate: own } = core.options
  return own === undefined ? bearerOf(core, exchange) : ownCaller(core, exchange, own)
}

async function ownCaller(
  core: Core,
  exchange: Exchange,
  own: NonNullable<SecretsOptions['authenticate']>,
): Promise<Caller | undefined> {
  const rights = await own(requestHead(exchange))
  return rights === undefined ? bearerOf(core, exchange) : lentCaller(core, rights)
}

/** Authenticates and authorises a request whose path is resolved: the context of its route, or a refusal. */
export async function contextOf(
  core: Core,
  exchange: Exchange<RequestState>,
  { route }: { readonly route: Route<SecretsContext> },
): Promise<SecretsContext | Refused<string>> {
  const { state } = exchange
  const { arrival } = state
  if (arrival === undefined) throw new Error('a request was not resolved')
  const limited = rateLimited(core, exchange)
  if (limited) return limited
  if (arrival.refused) {
    state.turn = auditOf(core).begin()
    return arrival.refused
  }
  // Paths about the service itself are polled every few seconds, and their answers contain no secret.
  if (!pathsAboutItself.has(arrival.path)) state.turn = auditOf(core).begin()
  // Paths that answer while the service is sealed need no token.
  if (route.access !== 'none') core.barrier.enter()
  const asks = core.words.read(exchange, 'Wrap-TTL')
  const wrapTtlSeconds = asks === undefined ? 0 : parseLifetimeSeconds(asks)
  if (wrapTtlSeconds === undefined || wrapTtlSeconds < 0)
    return refuse(
      'wrap_ttl_invalid',
      `error parsing X-${core.words.canonical}-Wrap-TTL header: ${wrapTtlProblem(asks, wrapTtlSeconds)}`,
    )
  const lists = arrival.operation === 'list' || arrival.operation === 'scan'
  const page = lists ? readListPage(exchange.query()) : undefined
  if (page === 'invalid')
    return refuse('page_invalid', `limit: ${JSON.stringify(exchange.query()['limit'])} is not a whole number`)
  const env = core.env()
  const { namespace, path } = arrival
  const mount = arrival.place?.mount ?? sealedSystemMount
  // Field by field, here and below: this runs for every request, and an object spread would cost more than the rest.
  const made = (
    operation: Operation,
    caller: Caller | undefined,
    sudo: boolean,
    decided: SecretsContext['decided'],
  ): SecretsContext => ({
    core,
    env,
    requestId: env.newId('request'),
    namespace,
    mount,
    path,
    operation,
    wrapTtlSeconds,
    caller,
    sudo,
    decided,
    page,
    decision: state.notes.decision,
    address: exchange.peer?.address,
  })
  if (route.access === 'none') return made(arrival.operation, undefined, false, undefined)
  const found = authenticate(core, exchange)
  const known = found instanceof Promise ? await found : found
  const noted: AuditNotes = known ? { token: known.token } : {}
  state.notes = noted
  if (route.access === anyTokenOrNone) return made(arrival.operation, known, false, undefined)
  if (known === undefined) return denied
  let caller = known
  if (known.token.numUses !== 0) {
    const used = await countUse(core, known)
    if (used === undefined) return denied
    caller = used.caller
    if (used.last) state.spent = caller.token
  }
  const { operation: wish, place, rest } = arrival
  const exists = wish === 'update' && arrival.type ? mountTypes[arrival.type].exists : undefined
  const operation = place && exists && !(await exists({ core, caller, ...place }, rest)) ? 'create' : wish
  // The path was resolved for this request.
  const now = core.barrier.enter().view.stale()
  const home = namespaceAt(now, caller.token.namespace)
  // It may have been deleted and created again since the token was found: the new one does not have the token.
  if (home?.id !== caller.token.namespaceId) return denied
  const rights = rightsAt(core, now, home, caller.token)
  const acl = rights instanceof Promise ? await rights : rights
  if (acl === undefined) return denied
  const asked: AclRequest = {
    path: namespace.path + path,
    ...(arrival.alias === undefined ? {} : { alias: namespace.path + arrival.alias }),
    operation: arrival.helping ? 'help' : operation,
    needsSudo: needsSudo(path, operation),
    wrapTtlSeconds,
  }
  // The body is yet to be read: parameters are judged after that.
  const decision = decideRule(acl, asked)
  noted.decision = decision
  if (!decision.allowed) return denied
  if (arrival.afterwards) return arrival.afterwards
  const restsOnParameters = decision.rule !== undefined && hasParameterRules(decision.rule)
  return made(operation, caller, decision.sudo, { acl, request: asked, restsOnParameters })
}

/** The problem of a requested wrap TTL. */
const wrapTtlProblem = (asks: string | undefined, seconds: number | undefined): string => {
  if (seconds !== undefined) return 'requested wrap ttl cannot be negative'
  // Well-formed, but beyond the range of instants.
  return /^\+?\d[\ddhms]*$/.test(asks ?? '')
    ? 'requested wrap ttl is too long: the maximum is 292 years'
    : 'expected a duration such as 60 or "5m"'
}

/**
 * Checks the rights of a caller again once the body is read: some rules depend on parameters, and the caller may have
 * lost the right while a slow body arrived.
 */
export function parametersProblem(
  call: ReceivedCall<SecretsContext, RequestState>,
): undefined | Promise<Refused<'permission_denied'> | undefined> {
  const { core, env, decided } = call.context
  if (decided === undefined) return undefined
  if (core.env().now !== env.now) return judgeLate(call, decided)
  return decided.restsOnParameters ? judge(call, decided, decided.acl) : undefined
}

async function judgeLate(call: ReceivedCall<SecretsContext, RequestState>, decided: Decided) {
  const { core, caller } = call.context
  const token = caller && (await currentToken(core, caller))
  const acl = await rightsOf(core, core.barrier.enter().view.stale(), token)
  // The same policies decide the same, but for parameters.
  return acl === decided.acl && !decided.restsOnParameters ? undefined : judge(call, decided, acl)
}

async function judge(
  { query, json, exchange }: ReceivedCall<SecretsContext, RequestState>,
  { request }: Decided,
  acl: Acl,
): Promise<Refused<'permission_denied'> | undefined> {
  // Only the parameters that the route will read: it ignores a query beside a body.
  const parameters = request.operation === 'read' ? query : isObject(json) ? json : {}
  const decision = await resultInSlices(decidingAsked(acl, { ...request, parameters }))
  exchange.state.notes.decision = decision
  return decision.allowed ? undefined : denied
}

/** The system's mount while the mount table cannot be read. */
const sealedSystemMount: SecretsContext['mount'] = {
  id: 'system',
  path: 'sys/',
  type: 'system',
  description: '',
  accessor: '',
  options: null,
  defaultLeaseTtlSeconds: 0,
  maxLeaseTtlSeconds: 0,
  tokenType: 'default-service',
  listingVisibility: '',
  local: false,
  sealWrap: false,
  createdAt: 0,
  upgrading: false,
}
