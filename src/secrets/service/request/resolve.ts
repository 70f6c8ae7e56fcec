import type { Exchange, Match, Route } from '../../../http/index.ts'
import { percentDecoded } from '../../../kernel/decoded.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { nothing } from '../../../operation/operation.ts'
import { isRootOnly } from '../../namespaces/rules.ts'
import { type Operation, operationRoute, type SecretsContext } from '../core/context.ts'
import { type Core, type Namespace, type Place, rootNamespace } from '../core/core.ts'
import { locateNamespace } from '../core/namespaces.ts'
import { helpFor } from './help.ts'
import { type MountTypeName, mountTypes, pathsAboutItself, shownRoutes, typeNameOf } from './mount-types.ts'
import type { EarlyRefusal } from './refused.ts'

/** The state of a request once its path is resolved, before its token is checked. */
export interface Arrival {
  /** A final answer: the same for every caller. */
  readonly refused?: Refused<string>
  /** A refusal for authorised callers only: no such path, no such operation. */
  readonly afterwards?: Refused<string> | undefined
  readonly place?: Place
  readonly type?: MountTypeName
  readonly namespace: Namespace
  /** The path within the namespace. */
  readonly path: string
  /** The path within the mount. */
  readonly rest: string
  /** The canonical form of the path within the namespace, if it was written differently. */
  readonly alias?: string | undefined
  readonly operation: Operation
  /** Whether it only requests help or verbs. */
  readonly helping?: boolean
}

/** The operation of a verb, before it is known whether a write creates. */
const operations: Readonly<Record<string, Operation>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'update',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
  LIST: 'list',
  SCAN: 'scan',
}

/** The route of requests that are already refused. */
const nowhere: Route<SecretsContext> = operationRoute({
  id: 'nowhere',
  method: 'GET',
  path: '',
  summary: 'Refuse',
  run: nothing,
  show: () => ({ status: 500 }),
})

/** Every path answers help requests of callers with any valid token; policies do not matter. */
const helpRoute: Route<SecretsContext> = operationRoute({
  id: 'help',
  method: 'GET',
  path: '',
  summary: 'Show help for a path and the paths below it',
  refusals: ['unsupported_path'],
  run: nothing,
  show: (_, { context }) => {
    const { mount, path, core } = context
    const type = path === '' ? undefined : typeNameOf(mount, core.idpWords)
    const { words } = core
    const of = (about: string, routes: readonly Route<SecretsContext>[], title: string, rest: string) =>
      helpFor({ title, about, routes, rest, words })
    const rest = path.slice(mount.path.length)
    const about = `${mount.description || 'A mount'} (${mount.type} backend)`
    const otherwise = type && mountTypes[type].otherwise
    const help =
      type === undefined
        ? of('All endpoints of this service.', shownRoutes(), 'secrets', 'v1')
        : (of(about, mountTypes[type].routes, mount.path, rest) ??
          (otherwise && of(about, [otherwise], mount.path, rest)))
    return help ?? refuse('unsupported_path', 'unsupported path')
  },
})

/** What the original does not count as printable: control and format characters, and spaces other than the ASCII one. */
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

/** The effective verb of a request: `GET` with `list=true` is `LIST`, with `scan=true` `SCAN`, and `PUT` is `POST`. */
export function verbOf(exchange: Exchange): string | undefined {
  const { method } = exchange
  if (method === 'PUT') return 'POST'
  if (method !== 'GET' || exchange.search === '') return method
  const query = exchange.query()
  for (const verb of ['LIST', 'SCAN'] as const) {
    const asked = query[verb.toLowerCase()]
    if (asked === undefined || asked === '') continue
    if (/^(1|t|true)$/i.test(asked)) return verb
    if (!/^(0|f|false)$/i.test(asked)) return undefined
  }
  return method
}

export interface Resolved {
  readonly match: Match<SecretsContext>
  readonly arrival: Arrival
}

/** Resolves the namespace, the mount and the route of a request. */
export async function arrive(core: Core, exchange: Exchange): Promise<Resolved> {
  const { method } = exchange
  const verb = verbOf(exchange)
  const at = { path: '', rest: '', namespace: rootNamespace, operation: operations[verb ?? ''] ?? 'read' }
  const refused = (refusal: Refused<EarlyRefusal | 'no_route'>, path = ''): Resolved => ({
    match: found(nowhere),
    arrival: { ...at, path, refused: refusal },
  })

  if (!exchange.path.startsWith('/v1/')) return refused(refuse('no_route', ''))
  if (verb === undefined) return refused(refuse('list_not_boolean', ''))
  if (method !== 'OPTIONS' && !Object.hasOwn(operations, verb)) return refused(refuse('unknown_verb', ''))
  const whole = decodedPath(exchange.path.slice('/v1/'.length))
  if (typeof whole !== 'string') return refused(whole)

  const opened = core.barrier.ifOpen()
  if (opened === undefined) {
    // The context refuses it, like every request that needs an unsealed service.
    if (!pathsAboutItself.has(whole)) return { match: found(nowhere), arrival: { ...at, path: whole } }
    const { match, afterwards } = toRoute('system', verb, whole.slice('sys/'.length))
    // No token can be checked now, so a wrong verb is refused without one.
    return afterwards ? refused(afterwards, whole) : { match, arrival: { ...at, path: whole, rest: '' } }
  }
  const now = await opened.view.fresh()
  const header = core.words.read(exchange, 'Namespace') ?? ''
  const located = locateNamespace(now, header, whole)
  if (isRefused(located)) return refused(located, whole)
  const { namespace, path } = located
  if (namespace.path !== '' && isRootOnly(path))
    return refused(refuse('not_in_namespaces', 'operation unavailable in namespaces'), path)
  // Before it is known whether anything exists there: a caller without a token must not learn it.
  if ((verb === 'POST' || verb === 'PATCH') && path.endsWith('/'))
    return refused(refuse('write_to_folder', "cannot write to a path ending in '/'"), path)
  const mounts = core.mountsOf(now, namespace)
  const helping = method === 'GET' && exchange.query()['help'] !== undefined
  const explain = (place?: Arrival['place']): Resolved => ({
    match: found(helpRoute),
    arrival: { ...at, helping: true, path, namespace, ...(place ? { place } : {}) },
  })
  if (helping && path === '') return explain()
  const hit = mounts.find(path)
  const kept = hit?.mount.type === 'kv' && core.options.kvTrailingPeriod === true
  if (path.endsWith('.') && !kept) return refused(refuse('trailing_period', 'unsupported path'), path)
  const typeName = hit && typeNameOf(hit.mount, core.idpWords)
  const unserved = (afterwards: Refused<EarlyRefusal>): Resolved => ({
    match: found(nowhere),
    arrival: { ...at, path, namespace, afterwards },
  })
  if (hit === undefined || typeName === undefined)
    return unserved(refuse('no_mount', `no handler for route "${path}". route entry not found.`))
  const place = { namespace, mount: hit.mount }
  if (helping) return explain(place)
  if (hit.mount.upgrading) return unserved(upgrading)
  const { match, afterwards, open } = toRoute(typeName, verb, hit.rest)
  // If no token is needed, a wrong verb is refused without one.
  if (open) return refused(open, path)
  const spelled = mountTypes[typeName].spelling?.(hit.rest) ?? hit.rest
  const alias = spelled === hit.rest ? undefined : hit.mount.path + spelled
  const { operation } = at
  return {
    match,
    arrival: { operation, path, namespace, rest: hit.rest, place, type: typeName, alias, afterwards },
  }
}

const upgrading = refuse(
  'mount_upgrading',
  'Upgrading from non-versioned to versioned data. This backend will be unavailable for a brief period and will resume service shortly.',
)

/** A path as mounts see it, or why no mount can have it. */
function decodedPath(raw: string): string | Refused<EarlyRefusal> {
  const path = percentDecoded(raw)
  if (path === undefined) return refuse('relative_path', 'the path is not valid percent-encoded UTF-8')
  if (unprintable.test(path))
    return refuse('path_unprintable', 'the path contains a character that cannot be printed')
  if (/(^|\/)\.{1,2}(\/|$)/.test(path)) return refuse('relative_path', 'relative paths not supported')
  return path
}

function toRoute(
  type: MountTypeName,
  verb: string,
  rest: string,
): { match: Match<SecretsContext>; afterwards?: Refused<EarlyRefusal>; open?: Refused<EarlyRefusal> } {
  // The whole path is decoded already, and the matcher decodes what it captures.
  const path = `/${rest.replaceAll('%', '%25')}`
  const match = routeAt(type, verb, path)
  if (match.kind === 'found' || verb === 'OPTIONS') return { match }
  const otherwise = match.kind === 'none' ? mountTypes[type].otherwise : undefined
  if (otherwise) return { match: { kind: 'found', matched: { route: otherwise, params: { path: rest } } } }
  const notFound = found(nowhere)
  if (match.kind !== 'method')
    return { match: notFound, afterwards: refuse('unsupported_path', 'unsupported path') }
  const other = routeAt(type, match.allow[0] ?? '', path)
  const needsToken = other.kind !== 'found' || other.matched.route.access !== 'none'
  const wrongVerb = (code: 'unsupported_operation' | 'unsupported_login_operation') =>
    refuse(code, 'unsupported operation', { headers: { allow: match.allow.join(', ') } })
  // The system's own paths have the long form in any case.
  return needsToken || type === 'system'
    ? { match: notFound, afterwards: wrongVerb('unsupported_operation') }
    : { match: notFound, open: wrongVerb('unsupported_login_operation') }
}

/** The match of a path. A folder can be listed with or without its slash: the tables omit it. */
function routeAt(type: MountTypeName, verb: string, path: string): Match<SecretsContext> {
  const { find } = mountTypes[type]
  const match = find(verb, path)
  if (!path.endsWith('/') || path === '/' || path.endsWith('//')) return match
  const bare = find(verb, path.slice(0, -1))
  if (bare.kind === 'found') return verb === 'LIST' || verb === 'SCAN' ? bare : match
  if (match.kind === 'found' || bare.kind !== 'method' || !bare.allow.includes('LIST')) return match
  const others = match.kind === 'method' ? match.allow : []
  const lists = bare.allow.filter((method) => method === 'LIST' || method === 'SCAN')
  return { kind: 'method', allow: [...new Set([...others, ...lists])].sort() }
}

/** The match of a route without path parameters. */
const found = (route: Route<SecretsContext>): Match<SecretsContext> => ({
  kind: 'found',
  matched: { route, params: {} },
})
