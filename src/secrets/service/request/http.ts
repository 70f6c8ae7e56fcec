import { bodyLimitOf } from '../../../http/body-limit.ts'
import {
  defineService,
  type HttpService,
  limitBody,
  peerOf,
  type RequestRecord,
  type Route,
} from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { type AclRequest, type Decision, decide, needsSudo } from '../../acl/index.ts'
import { judgeOrigin } from '../../headers/cross-origin.ts'
import type { Token } from '../../tokens/index.ts'
import { anyTokenOrNone, type Operation, type SecretsContext, type Services } from '../context.ts'
import { isRefused } from '../core.ts'
import { encodeAnswer } from '../envelope.ts'
import { describeField, parseLifetimeSeconds } from '../fields.ts'
import { unlessSealed } from '../seal/unless-sealed.ts'
import type { Caller } from '../tokens/tokens.ts'
import { type AuditNotes, auditedPath, callerOf, decisionOf } from './audit.ts'
import { secretsDialect } from './dialect.ts'
import { documented } from './documented.ts'
import { type Arrival, arrive, isAboutItself } from './door.ts'
import { mountTypes, shownRoutes, typeNameOf } from './mount-types.ts'
import { outsideApi } from './page.ts'
import { statusOf } from './status.ts'
import { tokenOf } from './token-of.ts'

/** What a body may have while nobody knows whose it is: passwords and key shares are short, and strangers are many. */
const mostOfStrangers = 64 * 1024

/** The service over HTTP: every mount type's table behind one door. */
export function secretsHttp(services: Services): HttpService<SecretsContext> {
  const { core } = services
  const arrivals = new WeakMap<Request, Arrival>()
  const spent = new WeakMap<Request, Token>()
  const notes = new WeakMap<Request, AuditNotes>()
  /** What a page of another origin needs to see of its answer. */
  const granted = new WeakMap<Request, ReadonlyMap<string, string>>()
  const denied = refuse('permission_denied', 'permission denied')
  const strangerBytes = Math.min(core.options.maxBodyBytes ?? mostOfStrangers, mostOfStrangers)

  /** Judges requests of web pages by the rules that were set over HTTP; a listener may have rules of its own. */
  const otherOrigin = (request: Request): Response | Refused<string> | undefined => {
    const rules = request.headers.has('origin') ? services.edge.now()?.cors : undefined
    if (!rules) return undefined
    const verdict = judgeOrigin(request, rules, core.words.all)
    if (verdict.kind === 'same-origin') return undefined
    if (verdict.kind === 'refused')
      return refuse(verdict.status === 403 ? 'origin_refused' : 'origin_method', verdict.message)
    granted.set(request, verdict.headers)
    return verdict.kind === 'preflight' ? new Response(null, { status: 204 }) : undefined
  }

  const authenticate = async (request: Request): Promise<Caller | Refused<string>> => {
    const text = tokenOf(request.headers, core.words)
    if (text === undefined) return denied
    const caller = await services.tokens.authenticate(text, peerOf(request)?.address)
    return caller ?? denied
  }

  /** Which verbs a path has tells what is there: like help, it is for those who have a token. */
  const verbsProblem = async (request: Request, url: URL): Promise<Refused<string> | undefined> => {
    const { arrival } = await arrive(services, request.method, url, request.headers)
    arrivals.set(request, { ...arrival, helping: true })
    if (isAboutItself(url.pathname.slice('/v1/'.length))) return undefined
    const opened = core.barrier.enter()
    if (isRefused(opened)) return opened
    await opened.view.fresh()
    const known = await authenticate(request)
    if ('ok' in known) return known
    notes.set(request, { token: known.token })
    return undefined
  }

  const context = async (
    request: Request,
    { route }: { readonly route: Route<SecretsContext> },
  ): Promise<SecretsContext | Refused<string>> => {
    const arrival = arrivals.get(request)
    if (arrival === undefined) throw new Error('a request came past the door')
    if (arrival.refused) return arrival.refused
    const asks = core.words.read(request.headers, 'Wrap-TTL') ?? ''
    const wrapTtlSeconds = parseLifetimeSeconds(asks)
    if (wrapTtlSeconds === undefined || wrapTtlSeconds < 0)
      return refuse(
        'wrap_ttl_invalid',
        `error parsing X-${core.words.canonical}-Wrap-TTL header: expected a duration such as 60 or "5m"`,
      )
    const env = core.env()
    const { namespace, path } = arrival
    const mount = arrival.place?.mount ?? sealedSystemMount
    // Field by field, here and below: every request comes by, and spreading an object costs more than all else here.
    const made = (
      operation: Operation,
      caller: Caller | undefined,
      sudo: boolean,
      decided: SecretsContext['decided'],
    ): SecretsContext => ({
      services,
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
    })
    if (route.access === 'none') {
      limitBody(request, Math.min(bodyLimitOf(request) ?? strangerBytes, strangerBytes))
      return made(arrival.operation, undefined, false, undefined)
    }
    const noted: AuditNotes = {}
    notes.set(request, noted)
    const known = await authenticate(request)
    const bearer = 'ok' in known ? undefined : known
    if (bearer) noted.token = bearer.token
    if (route.access === anyTokenOrNone) return made(arrival.operation, bearer, false, undefined)
    if ('ok' in known) return known
    const used = await services.tokens.use(known)
    if (used === undefined) return denied
    const { caller } = used
    if (used.last) spent.set(request, caller.token)
    const operation = await operationOf(services, arrival, caller)
    const opened = core.barrier.enter()
    if (isRefused(opened)) return opened
    const home = services.namespaces.at(await opened.view.fresh(), caller.token.namespace)
    // It may have been deleted and made anew since the token was found: the new one does not know the token.
    if (home?.id !== caller.token.namespaceId) return denied
    const acl = await services.policies.aclOf(opened.view, home, caller.token.policies)
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

  const { onRequest } = core.options
  const audit = (record: RequestRecord, request: Request) => {
    const arrival = arrivals.get(request)
    if (arrival === undefined) return
    const noted = notes.get(request) ?? {}
    return onRequest?.({
      namespace: arrival.namespace.path,
      operation: arrival.helping ? 'help' : arrival.operation,
      decision: decisionOf(noted),
      ...record,
      path: auditedPath(arrival.path),
      caller: callerOf(noted),
    })
  }

  return defineService<SecretsContext, keyof typeof statusOf>({
    name: 'secrets',
    about:
      'Stores secrets and serves them: key/value engines, auth methods, tokens, policies. `PUT` does what `POST` does. Engines are shown where they usually are, and are wherever they were mounted.',
    routes: shownRoutes(),
    ...documented(core.words),
    statusOf,
    dialect: secretsDialect,
    encode: encodeAnswer,
    forms: true,
    newId: () => core.env().newId('error'),
    ...(core.options.maxBodyBytes === undefined ? {} : { maxBodyBytes: core.options.maxBodyBytes }),
    foreseen: core.barrier.interrupted,
    onError: (error, id) => core.options.onError?.(error, id),
    onRequest: onRequest && audit,
    now: () => core.env().now,
    invalid: (part, error) => refuse(`invalid_${part}`, describeField(error)),
    first: (request, url) =>
      otherOrigin(request) ??
      outsideApi(request.method, url.pathname) ??
      (request.method === 'OPTIONS' ? verbsProblem(request, url) : undefined),
    resolve: async (method, url, request) => {
      const { match, arrival } = await arrive(services, method, url, request.headers)
      arrivals.set(request, arrival)
      return match
    },
    context,
    finish: async (response, request, url) => {
      for (const [name, value] of granted.get(request) ?? []) response.headers.set(name, value)
      if (url.pathname.startsWith('/ui'))
        for (const [name, values] of Object.entries(services.edge.now()?.uiHeaders ?? {}))
          response.headers.set(name, values.join('; '))
      const token = spent.get(request)
      // It is dead already, as its uses are: where its record cannot go now, the answer goes all the same.
      if (token) await unlessSealed(core, () => services.tokens.revoke(token)).catch(core.report)
      response.headers.set('cache-control', 'no-store')
      // The namespace that a client named is said again, under the word it used.
      for (const word of core.words.all) {
        const name = `X-${word}-Namespace`
        const namespace = request.headers.get(name)
        if (namespace) response.headers.set(name, namespace)
      }
      return response
    },
  })
}

/** Whether the deciding rule looks at parameters, which are not read yet. */
const restsOnParameters = ({ rule, reason }: Decision): boolean =>
  rule !== undefined &&
  (reason === 'granted' || reason === 'parameter') &&
  rule.allowedParameters.size + rule.deniedParameters.size + rule.requiredParameters.length > 0

/** Whether a write creates or updates depends on what is there; every other operation is what its verb says. */
async function operationOf(
  services: Services,
  { operation, place, rest }: Arrival,
  caller: Caller,
): Promise<Operation> {
  const name = operation === 'update' && place ? typeNameOf(place.mount, services.core.idpWords) : undefined
  const type = name && mountTypes[name]
  if (place === undefined || type?.exists === undefined) return operation
  return (await type.exists({ services, caller, ...place }, rest)) ? 'update' : 'create'
}

/** What stands for the system's mount while the mount table cannot be read. */
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
