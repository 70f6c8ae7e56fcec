import type { Access } from '../acl/access.ts'
import {
  isCoarse,
  type NamespaceCapability,
  namespaceCapabilities,
  type PoolCapability,
  poolCapabilities,
  type VariableCapability,
  variableCapabilities,
} from '../acl/capabilities.ts'
import type { SchedulerRoute } from './context.ts'

/** Whether a caller has a right at all: in any namespace or pool, if it depends on one. */
type Judge = (access: Access) => boolean

/**
 * Checks the caller of a route by its `access` before a body is read: a caller without these rights in any namespace is
 * refused then. The operation checks the exact right.
 */
export function judgeFirst(route: SchedulerRoute): SchedulerRoute {
  const { methods, access, before } = route
  if (access === undefined || before !== undefined || methods.includes('GET')) return route
  const judge = judgeBy(access)
  return { ...route, before: ({ context }) => context.judge?.(judge) }
}

/** Whether a caller has one of the rights of an `access`. */
export function judgeBy(access: string): Judge {
  const judges = access.split(' or ').map(judgeOf)
  return (rights) => judges.some((each) => each(rights))
}

/** Reads a right as routes spell it: `management`, `namespace:submit-job`, `node_pool:write`, `node:write`. */
function judgeOf(right: string): Judge {
  const [what = '', name = ''] = right.split(':')
  if (right === 'management') return ({ management }) => management
  const capability = namespaceCapabilities.find((each): each is NamespaceCapability => each === name)
  if (what === 'namespace' && capability !== undefined) return (access) => access.namespace('*', capability)
  const onPool = poolCapabilities.find((each): each is PoolCapability => each === name)
  if (what === 'node_pool' && onPool !== undefined) return (access) => access.pool('*', onPool)
  const onVariable = variableCapabilities.find((each): each is VariableCapability => each === name)
  if (what === 'variables' && onVariable !== undefined)
    return (access) => access.variable('*', '', onVariable)
  const level = (['read', 'write', 'list'] as const).find((each) => each === name)
  if (isCoarse(what) && level !== undefined) return (access) => access.coarse(what, level)
  throw new Error(`not a right: ${right}`)
}
