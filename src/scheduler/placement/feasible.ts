import { compileRegex } from '../../filter/regex/index.ts'
import type { JobSpec } from '../jobs/model.ts'
import type { NodeRecord } from '../nodes/model.ts'

/**
 * Whether a job's list of datacenters, in which `*` stands for any text, names a node's.
 *
 * @example
 * ```ts
 * import { matchesDatacenter } from 'plinth/scheduler'
 *
 * matchesDatacenter('eu-west-1', ['us-*', 'eu-*']) // true
 * matchesDatacenter('dc1', ['dc2']) // false
 * ```
 *
 * @public
 */
export const matchesDatacenter = (datacenter: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => matchesGlob(datacenter, pattern))

/** Linear in both texts: each `*` takes as little as lets the next piece be found. */
function matchesGlob(text: string, pattern: string): boolean {
  const pieces = pattern.split('*')
  const [first = '', ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return text === pattern
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false
  let at = first.length
  const end = text.length - last.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return at <= end
}

/**
 * Whether a job may run on a node at all: it is in the job's pool and datacenters, and meets the job's constraints.
 *
 * @example
 * ```ts
 * import { isInReach, JobSpec, NodeRecord } from 'plinth/scheduler'
 *
 * const node = NodeRecord.parse({ ID: 'n1', NodePool: 'gpu', Datacenter: 'eu-1' })
 * isInReach(node, JobSpec.parse({ ID: 'web', NodePool: 'gpu', Datacenters: ['eu-*'] })) // true
 * isInReach(node, JobSpec.parse({ ID: 'web', Datacenters: ['eu-*'] })) // false
 * ```
 *
 * @public
 */
export const isInReach = (
  node: NodeRecord,
  job: Pick<JobSpec, 'NodePool' | 'Datacenters' | 'Constraints'>,
): boolean =>
  (job.NodePool === 'all' || node.NodePool === job.NodePool) &&
  matchesDatacenter(node.Datacenter, job.Datacenters) &&
  meetsConstraints(node, job.Constraints)

/**
 * Whether a node meets every constraint. Operands this small placement does not know (versions, sets,
 * `distinct_hosts`) do not exclude a node.
 *
 * @example
 * ```ts
 * import { meetsConstraints, NodeRecord } from 'plinth/scheduler'
 *
 * const node = NodeRecord.parse({ ID: 'n1', Name: 'gpu-1', Attributes: { 'os.name': 'ubuntu' } })
 * const wanted = { LTarget: '${attr.os.name}', Operand: '=', RTarget: 'ubuntu' }
 * meetsConstraints(node, [wanted]) // true
 * meetsConstraints(node, [{ ...wanted, RTarget: 'debian' }]) // false
 * ```
 *
 * @public
 */
export const meetsConstraints = (node: NodeRecord, constraints: JobSpec['Constraints']): boolean =>
  (constraints ?? []).every(({ LTarget, RTarget, Operand }) => {
    const test = Object.hasOwn(operands, Operand) ? operands[Operand] : undefined
    return test === undefined || test(resolve(node, LTarget), resolve(node, RTarget))
  })

type Test = (left: string | undefined, right: string | undefined) => boolean

const equal: Test = (left, right) => left !== undefined && left === right
const unequal: Test = (left, right) => left !== right

const operands: Readonly<Record<string, Test>> = {
  '=': equal,
  '==': equal,
  is: equal,
  '!=': unequal,
  not: unequal,
  is_set: (left) => left !== undefined,
  is_not_set: (left) => left === undefined,
  regexp: (left, right) => left !== undefined && right !== undefined && matchesRegex(left, right),
}

/** A pattern nobody can read excludes the node: the job would otherwise run where it was told not to. */
function matchesRegex(text: string, pattern: string): boolean {
  try {
    return compileRegex(pattern).test(text)
  } catch {
    return false
  }
}

/** `${attr.kernel.name}`, `${meta.rack}`, `${node.class}`; anything else is itself. */
function resolve(node: NodeRecord, target: string): string | undefined {
  const name = /^\$\{(.+)\}$/.exec(target)?.[1]
  if (name === undefined) return target
  if (name.startsWith('attr.')) return own(node.Attributes, name.slice('attr.'.length))
  if (name.startsWith('meta.')) return own(node.Meta ?? {}, name.slice('meta.'.length))
  return Object.hasOwn(fields, name) ? fields[name]?.(node) : undefined
}

const own = (map: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined

const fields: Readonly<Record<string, (node: NodeRecord) => string>> = {
  'node.unique.id': (node) => node.ID,
  'node.unique.name': (node) => node.Name,
  'node.datacenter': (node) => node.Datacenter,
  'node.class': (node) => node.NodeClass,
  'node.pool': (node) => node.NodePool,
}
