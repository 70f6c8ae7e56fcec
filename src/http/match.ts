import { percentDecoded } from '../kernel/decoded.ts'
import type { Method } from './call.ts'
import type { Route } from './route.ts'

/**
 * A matched route, with the captures of its path.
 */
export interface Matched<Context> {
  readonly route: Route<Context>
  readonly params: Readonly<Record<string, string>>
}

/**
 * The result of a look-up: a route; the methods that the path supports; a path that cannot be decoded; or no route.
 */
export type Match<Context> =
  | { readonly kind: 'found'; readonly matched: Matched<Context> }
  | { readonly kind: 'method'; readonly allow: readonly Method[] }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'none' }

/** One segment of the tree of patterns: literal children before captures before a tail. */
interface Node<Context> {
  readonly literals: Map<string, Node<Context>>
  capture: Node<Context> | undefined
  readonly tail: Map<Method, Route<Context>>
  readonly routes: Map<Method, Route<Context>>
}

const emptyNode = <Context>(): Node<Context> => ({
  literals: new Map(),
  capture: undefined,
  tail: new Map(),
  routes: new Map(),
})

/**
 * Builds a look-up over a route table. Literal segments take precedence over captures, and captures over a tail, in any
 * order of the table; two routes that match the same requests are a programming error and throw.
 *
 * @remarks
 * A capture matches one non-empty segment, percent-decoded; a tail matches the rest, which may be empty and keeps its
 * slashes. A trailing slash is part of the path.
 *
 * @example
 * ```ts
 * import { matcher, reply, route } from 'plinth/http'
 *
 * const at = route<null>()
 * const handle = () => reply()
 * const find = matcher([
 *   at({ id: 'read', method: 'GET', path: '/boxes/:name', summary: 'Read a box', handle }),
 *   at({ id: 'newest', method: 'GET', path: '/boxes/newest', summary: 'Read the newest box', handle }),
 * ])
 * const idOf = (path: string) => {
 *   const match = find('GET', path)
 *   return match.kind === 'found' ? match.matched.route.id : match.kind
 * }
 * idOf('/boxes/tiny') // 'read'
 * idOf('/boxes/newest') // 'newest'
 * find('PUT', '/boxes/tiny') // { kind: 'method', allow: ['GET', 'HEAD'] }
 * ```
 */
export function matcher<Context>(
  routes: readonly Route<Context>[],
): (method: string, path: string) => Match<Context> {
  const root = emptyNode<Context>()
  const names = new Map(routes.map((entry) => [entry, capturesOf(entry)]))
  const methods = new Set(routes.flatMap((entry) => methodsOf(entry)))
  for (const entry of routes) insert(root, entry)

  return (method, path) => {
    const captured: string[] = []
    const segments = path.split('/')
    // A method that is not in the table is not a key of its maps either.
    const found = walk(root, segments, 0, captured, method as Method)
    if (!found) {
      const allow = [...methods].filter((other) => walk(root, segments, 0, [], other)).sort()
      return allow.length > 0 ? { kind: 'method', allow } : { kind: 'none' }
    }
    const params: Record<string, string> = Object.create(null)
    const captures = names.get(found) ?? []
    for (let at = 0; at < captures.length; at += 1) {
      const value = percentDecoded(captured[at] ?? '')
      if (value === undefined) return { kind: 'malformed' }
      params[captures[at] ?? ''] = value
    }
    return { kind: 'found', matched: { route: found, params } }
  }
}

/** The methods that a route answers: `GET` answers `HEAD` too. */
const methodsOf = <Context>({ methods }: Route<Context>): readonly Method[] =>
  methods.includes('GET') ? [...methods, 'HEAD'] : methods

function capturesOf<Context>({ id, path }: Route<Context>): readonly string[] {
  const names = path
    .split('/')
    .filter((segment) => /^[:*]/.test(segment))
    .map((segment) => segment.slice(1))
  if (names.includes('') || new Set(names).size < names.length)
    throw new Error(`route ${id}: ${path} needs a distinct name for each capture`)
  return names
}

function insert<Context>(root: Node<Context>, entry: Route<Context>): void {
  const segments = entry.path.split('/')
  let node = root
  for (const [index, segment] of segments.entries()) {
    if (segment.startsWith('*')) {
      if (index !== segments.length - 1) throw new Error(`route ${entry.id}: a tail must come last`)
      add(node.tail, entry)
      return
    }
    if (segment.startsWith(':')) {
      node.capture ??= emptyNode()
      node = node.capture
    } else {
      const next: Node<Context> = node.literals.get(segment) ?? emptyNode()
      node.literals.set(segment, next)
      node = next
    }
  }
  add(node.routes, entry)
}

function add<Context>(table: Map<Method, Route<Context>>, entry: Route<Context>): void {
  for (const method of methodsOf(entry)) {
    const other = table.get(method)
    const isOwn = entry.methods.includes(method)
    if (isOwn && other?.methods.includes(method))
      throw new Error(`routes ${other.id} and ${entry.id} both answer ${method} ${entry.path}`)
    // A route for `HEAD` itself comes before one for `GET`.
    if (isOwn || other === undefined) table.set(method, entry)
  }
}

/** Depth first in order of precedence; backtracks from a branch that has the path but not the method. */
function walk<Context>(
  node: Node<Context>,
  segments: readonly string[],
  at: number,
  captured: string[],
  method: Method,
): Route<Context> | undefined {
  if (at === segments.length) return node.routes.get(method)
  const segment = segments[at] ?? ''
  const literal = node.literals.get(segment)
  if (literal) {
    const found = walk(literal, segments, at + 1, captured, method)
    if (found) return found
  }
  if (node.capture && segment !== '') {
    captured.push(segment)
    const found = walk(node.capture, segments, at + 1, captured, method)
    if (found) return found
    captured.pop()
  }
  const tail = node.tail.get(method)
  if (tail) captured.push(segments.slice(at).join('/'))
  return tail
}
