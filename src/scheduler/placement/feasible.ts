import type { JobSpec } from '../jobs/model.ts'
import type { NodeRecord } from '../nodes/model.ts'
import { isWithin } from './ask.ts'
import { constraintTest } from './constraints.ts'
import { nodeLookup } from './interpolate.ts'

export { matchesDatacenter } from './datacenters.ts'

/**
 * Returns whether a job may run on a node at all: it is in the job's pool and datacenters, and meets the job's
 * constraints.
 *
 * @example
 * ```ts
 * import { isInReach, JobSpec, NodeRecord } from 'plinth/scheduler'
 *
 * const node = NodeRecord.parse({ ID: 'n1', NodePool: 'gpu', Datacenter: 'eu-1' })
 * isInReach(node, JobSpec.parse({ ID: 'web', NodePool: 'gpu', Datacenters: ['eu-*'] })) // true
 * isInReach(node, JobSpec.parse({ ID: 'web', Datacenters: ['eu-*'] })) // false
 * ```
 */
export const isInReach = (
  node: NodeRecord,
  job: Pick<JobSpec, 'NodePool' | 'Datacenters' | 'Constraints'>,
): boolean => isWithin(node, job) && meetsConstraints(node, job.Constraints)

/**
 * Returns whether a node meets every constraint. No node meets one with an unknown operand. `distinct_hosts` and
 * `distinct_property` are about several nodes: any single one meets them.
 *
 * @example
 * ```ts
 * import { meetsConstraints, NodeRecord } from 'plinth/scheduler'
 *
 * const node = NodeRecord.parse({ ID: 'n1', Attributes: { 'os.name': 'ubuntu', 'os.version': '24.04' } })
 * const wanted = { LTarget: '${attr.os.version}', Operand: 'version', RTarget: '>= 22.04' }
 * meetsConstraints(node, [wanted]) // true
 * meetsConstraints(node, [{ ...wanted, Operand: 'newer' }]) // false
 * ```
 */
export function meetsConstraints(node: NodeRecord, constraints: JobSpec['Constraints']): boolean {
  const lookup = nodeLookup(node)
  return (constraints ?? []).every((constraint) => constraintTest(constraint)(lookup))
}
