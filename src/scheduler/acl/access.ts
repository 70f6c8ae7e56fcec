import type {
  CoarseLevel,
  CoarseResource,
  NamespaceCapability,
  PoolCapability,
  VariableCapability,
} from './capabilities.ts'
import { type AclRule, type AclRules, stronger, variableName } from './policy.ts'

/**
 * The rights of one caller.
 */
export interface Access {
  /** Whether everything is allowed. */
  readonly management: boolean
  /** Equal for equal rights: answers may be shared between callers with the same `id`. */
  readonly id: string
  /** Whether the capability holds in a namespace; for `*`, whether it holds in any. */
  readonly namespace: (name: string, ...anyOf: readonly NamespaceCapability[]) => boolean
  /** Whether the capability holds on a node pool; for `*`, whether it holds on any. */
  readonly pool: (name: string, capability: PoolCapability) => boolean
  /** Whether the capability holds on the variable at a path; for the namespace `*`, whether it holds on any. */
  readonly variable: (namespace: string, path: string, capability: VariableCapability) => boolean
  /** Whether something with a single rule may be read, or written. */
  readonly coarse: (resource: CoarseResource, level: 'read' | 'write' | 'list') => boolean
}

/**
 * The rights of a management token, and of every caller if access control is off.
 */
export const fullAccess: Access = {
  management: true,
  id: 'management',
  namespace: () => true,
  pool: () => true,
  variable: () => true,
  coarse: () => true,
}

/**
 * Merges policies into the rights of their bearer.
 *
 * @remarks
 * Rules for exactly the same name are merged, and `deny` overrides the others of that rule. For a requested name, its
 * own rule alone decides, otherwise that of the closest pattern: the one whose wildcards match the least, and among
 * equals the first in byte order.
 *
 * @param id - identifies these policies, for {@link Access.id}
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { accessOf, readPolicy } from 'plinth/scheduler'
 *
 * const policy = readPolicy({ namespace: { 'ops-*': { policy: 'write' }, 'ops-secret': { policy: 'deny' } } })
 * const access = accessOf([unwrap(policy)], 'ops')
 * access.namespace('ops-web', 'read-job') // true
 * access.namespace('ops-secret', 'read-job') // false
 * ```
 */
export function accessOf(policies: readonly AclRules[], id: string): Access {
  const namespaces = united(policies.flatMap((policy) => policy.namespaces))
  const pools = united(policies.flatMap((policy) => policy.pools))
  const variables = united(policies.flatMap((policy) => policy.variables))
  const levels = new Map<string, CoarseLevel>()
  for (const { coarse } of policies)
    for (const [resource, level] of Object.entries(coarse))
      levels.set(resource, stronger(levels.get(resource), level))
  return {
    management: false,
    id,
    namespace: (name, ...anyOf) =>
      name === '*'
        ? anyOf.some((capability) => holdsAnywhere(namespaces, capability))
        : anyOf.some((capability) => closest(namespaces, name)?.has(capability) === true),
    pool: (name, capability) =>
      name === '*' ? holdsAnywhere(pools, capability) : closest(pools, name)?.has(capability) === true,
    variable: (namespace, path, capability) =>
      namespace === '*'
        ? holdsAnywhere(variables, capability)
        : closest(variables, variableName(namespace, path))?.has(capability) === true,
    coarse: (resource, level) => allows(levels.get(resource), level),
  }
}

const allows = (granted: CoarseLevel | undefined, asked: 'read' | 'write' | 'list'): boolean =>
  granted === 'write' || granted === asked || (granted === 'read' && asked === 'list')

type United = ReadonlyMap<string, ReadonlySet<string>>

function united(rules: readonly AclRule<string>[]): United {
  const byName = new Map<string, Set<string>>()
  for (const { name, capabilities } of rules) {
    const granted = byName.get(name) ?? new Set<string>()
    for (const capability of capabilities) granted.add(capability)
    byName.set(name, granted)
  }
  for (const granted of byName.values()) if (granted.has('deny')) granted.clear()
  return byName
}

const holdsAnywhere = (rules: United, capability: string): boolean =>
  [...rules.values()].some((granted) => granted.has(capability))

function closest(rules: United, name: string): ReadonlySet<string> | undefined {
  const own = rules.get(name)
  if (own !== undefined) return own
  let best: { readonly pattern: string; readonly distance: number } | undefined
  for (const pattern of rules.keys()) {
    if (!covers(pattern, name)) continue
    const distance = name.length - pattern.length + (pattern.split('*').length - 1)
    if (
      best === undefined ||
      distance < best.distance ||
      (distance === best.distance && pattern < best.pattern)
    )
      best = { pattern, distance }
  }
  return best && rules.get(best.pattern)
}

/** Whether a pattern matches a name; `*` matches any text, including none. Linear in the name. */
export function covers(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
