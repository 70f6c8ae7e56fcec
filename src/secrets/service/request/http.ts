import {
  type Answered,
  defineService,
  type Exchange,
  type HttpService,
  type RequestRecord,
  type Route,
} from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { type AclRequest, type Decision, decide, needsSudo } from '../../acl/index.ts'
import { judgeOrigin } from '../../headers/cross-origin.ts'
import type { Token } from '../../tokens/index.ts'
import { rightsAt } from '../access/rights.ts'
import { auditOf } from '../audit/trail.ts'
import { anyTokenOrNone, type Operation, type SecretsContext } from '../core/context.ts'
import type { Caller, Core } from '../core/core.ts'
import { encodeAnswer } from '../core/envelope.ts'
import { describeField, isMap, parseLifetimeSeconds } from '../core/fields.ts'
import { readListPage } from '../core/list-page.ts'
import { namespaceAt } from '../core/namespaces.ts'
import { tokenOf } from '../core/token-of.ts'
import { edgeNow } from '../edge/settings.ts'
import { authenticateToken, countUse } from '../tokens/find-token.ts'
import { revokeToken } from '../tokens/revocation.ts'
import { wrapReply } from '../wrapping/wrap-answer.ts'
import { isAboutItself } from './about-itself.ts'
import { type AuditNotes, auditedPath, callerOf, decisionOf } from './audit.ts'
import { requestAudit } from './audit-requests.ts'
import { secretsDialect } from './dialect.ts'
import { documented } from './documented.ts'
import { mountTypes, shownRoutes } from './mount-types.ts'
import { about, outsideApi, pageOf } from './page.ts'
import { parametersProblem } from './parameters.ts'
import { statusOf } from './refused.ts'
import { arrive } from './resolve.ts'
import type { RequestState } from './state.ts'
import { warnOfUnknownFields } from './unknown-fields.ts'

/** The largest body of an unauthenticated caller: passwords and key shares are short. */
const maxUnauthenticatedBytes = 64 * 1024

/** The service over HTTP: the tables of all mount types. */
export function secretsHttp(core: Core): HttpService<SecretsContext> {
  const audit = auditOf(core)
  const denied = refuse('permission_denied', 'permission denied')
  const unauthenticatedBytes = Math.min(
    core.options.maxBodyBytes ?? maxUnauthenticatedBytes,
    maxUnauthenticatedBytes,
  )
  const namespaceHeaders = core.words.all.map((word) => `x-${word}-namespace`.toLowerCase())

  /** Applies the CORS rules that were set over HTTP to requests of web pages; a listener can have its own. */
  const otherOrigin = (exchange: Exchange<RequestState>): Answered | Refused<string> | undefined => {
    const rules = exchange.header('origin') === undefined ? undefined : edgeNow(core)?.cors
    if (!rules) return undefined
    const verdict = judgeOrigin(exchange, rules, core.words.all)
    if (verdict.kind === 'same-origin') return undefined
    if (verdict.kind === 'refused')
      return refuse(verdict.status === 403 ? 'origin_refused' : 'origin_method', verdict.message)
    exchange.state.crossOriginHeaders = verdict.headers
    return verdict.kind === 'preflight' ? { status: 204, headers: {}, body: undefined } : undefined
  }

  const authenticate = (exchange: Exchange): Caller | undefined => {
    const token = tokenOf(exchange, core.words)
    return token === undefined ? undefined : authenticateToken(core, token, exchange.peer?.address)
  }

  /** The verbs of a path reveal what exists there: like help, they are for callers with a token. */
  const verbsProblem = async (exchange: Exchange<RequestState>): Promise<Refused<string> | undefined> => {
    const { state } = exchange
    const { arrival } = await arrive(core, exchange)
    state.arrival = { ...arrival, helping: true }
    if (isAboutItself(exchange.path.slice('/v1/'.length))) return undefined
    await core.fresh()
    const known = authenticate(exchange)
    if (known === undefined) return denied
    state.notes = { token: known.token }
    return undefined
  }

  const context = async (
    exchange: Exchange<RequestState>,
    { route }: { readonly route: Route<SecretsContext> },
  ): Promise<SecretsContext | Refused<string>> => {
    const { state } = exchange
    const { arrival } = state
    if (arrival === undefined) throw new Error('a request was not resolved')
    if (arrival.refused) {
      state.turn = audit.begin()
      return arrival.refused
    }
    // Paths about the service itself are polled every few seconds, and their answers contain no secret.
    if (!isAboutItself(arrival.path)) state.turn = audit.begin()
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
      return refuse(
        'page_invalid',
        `limit: ${JSON.stringify(exchange.query()['limit'])} is not a whole number`,
      )
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
    const known = authenticate(exchange)
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
    const decision = decide(acl, asked)
    noted.decision = decision
    const decided = { acl, request: asked, restsOnParameters: restsOnParameters(decision) }
    if (!decision.allowed && !decided.restsOnParameters) return denied
    if (arrival.afterwards) return arrival.afterwards
    return made(operation, caller, decision.sudo, decided)
  }

  /** Deletes a token without uses left: it is invalid already, so the answer is sent even if the deletion fails now. */
  const buried = async (spent: Token): Promise<void> => {
    await core.barrier.unlessSealed(() => revokeToken(core, spent)).catch(core.report)
  }

  const auditing = requestAudit(core)
  const { onRequest } = core.options
  const page = pageOf(core.options)
  const outside = outsideApi(page)
  const recorded = (record: RequestRecord, exchange: Exchange) => {
    // The service below gives every exchange this state.
    const { arrival, notes: noted } = (exchange as Exchange<RequestState>).state
    if (arrival === undefined) return
    return onRequest?.({
      namespace: arrival.namespace.path,
      operation: arrival.helping ? 'help' : arrival.operation,
      decision: decisionOf(noted),
      ...record,
      path: auditedPath(arrival.path),
      caller: callerOf(noted),
    })
  }

  return defineService<SecretsContext, keyof typeof statusOf, RequestState>({
    name: 'secrets',
    about,
    page,
    routes: shownRoutes(),
    ...documented(core.words),
    statusOf,
    dialect: secretsDialect,
    encode: (body, { state }) => {
      const encoded = encodeAnswer(body)
      if (state.turn) state.sent = { body, content: encoded.content }
      return encoded
    },
    forms: true,
    newId: () => core.env().newId('error'),
    maxBodyBytes: core.options.maxBodyBytes,
    maxBufferedBytes: core.options.maxBufferedBytes,
    foreseen: core.barrier.interrupted,
    onError: (error, id) => core.options.onError?.(error, id),
    onRequest: onRequest && recorded,
    now: () => core.env().now,
    invalid: (part, error) => refuse(`invalid_${part}`, describeField(error)),
    state: () => ({
      arrival: undefined,
      notes: {},
      spent: undefined,
      turn: undefined,
      sent: undefined,
      crossOriginHeaders: undefined,
    }),
    first: (exchange) =>
      otherOrigin(exchange) ??
      (exchange.path.startsWith('/v1/') ? undefined : outside(exchange)) ??
      (exchange.method === 'OPTIONS' ? verbsProblem(exchange) : undefined),
    resolve: async (exchange) => {
      const { match, arrival } = await arrive(core, exchange)
      exchange.state.arrival ??= arrival
      return match
    },
    context,
    bodyLimit: ({ access }) => (access === 'none' ? unauthenticatedBytes : undefined),
    afterBody: async (call) => (await auditing.request(call)) ?? parametersProblem(call),
    afterReply: (reply, call) => {
      const warned = isMap(call.json) ? warnOfUnknownFields(reply, call, call.json) : reply
      return call.context.wrapTtlSeconds === 0 ? warned : wrapReply(warned, call)
    },
    finish: (answered, exchange) => {
      const { headers } = answered
      const { spent, turn, crossOriginHeaders } = exchange.state
      for (const [name, value] of crossOriginHeaders ?? []) headers[name.toLowerCase()] = value
      if (exchange.path.startsWith('/ui'))
        for (const [name, values] of Object.entries(edgeNow(core)?.uiHeaders ?? {}))
          headers[name.toLowerCase()] = values.join('; ')
      headers['cache-control'] = 'no-store'
      // The answer repeats the namespace header of the client, with the same product word.
      for (const name of namespaceHeaders) {
        const namespace = exchange.header(name)
        if (namespace) headers[name] = namespace
      }
      const over = turn && auditing.response(turn, answered, exchange)
      if (over === undefined) return spent && buried(spent)
      return spent ? over.then(() => buried(spent)) : over
    },
  })
}

/** The problem of a requested wrap TTL. */
const wrapTtlProblem = (asks: string | undefined, seconds: number | undefined): string => {
  if (seconds !== undefined) return 'requested wrap ttl cannot be negative'
  // Well-formed, but beyond the range of instants.
  return /^\+?\d[\ddhms]*$/.test(asks ?? '')
    ? 'requested wrap ttl is too long: the maximum is 292 years'
    : 'expected a duration such as 60 or "5m"'
}

/** Whether the deciding rule depends on parameters, which are not read yet. */
const restsOnParameters = ({ rule, reason }: Decision): boolean =>
  rule !== undefined &&
  (reason === 'granted' || reason === 'parameter') &&
  rule.allowedParameters.size + rule.deniedParameters.size + rule.requiredParameters.length > 0

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
