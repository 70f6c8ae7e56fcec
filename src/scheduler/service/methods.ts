import { policyMethods } from './acl-policies.ts'
import { tokenMethods } from './acl-tokens.ts'
import { agentMethods } from './agent.ts'
import { allocationWriteMethods } from './allocation-writes.ts'
import type { Cluster } from './cluster.ts'
import { deploymentWriteMethods } from './deployment-writes.ts'
import { jobActMethods } from './job-acts.ts'
import { jobReadMethods } from './job-reads.ts'
import { jobScalingMethods } from './job-scaling.ts'
import { jobWriteMethods } from './job-writes.ts'
import { jobMethods } from './jobs.ts'
import { nodeWriteMethods } from './node-writes.ts'
import { nodeMethods } from './nodes.ts'
import { operatorMethods } from './operator.ts'
import { outcomeMethods } from './outcomes.ts'
import { poolMethods } from './pools.ts'
import { searchMethods } from './search.ts'
import { systemMethods } from './system.ts'
import { validateMethods } from './validate-job.ts'

/** Everything a scheduler can be asked, bound to an open cluster. */
export const schedulerMethods = (cluster: Cluster) => ({
  ...poolMethods(cluster),
  ...nodeMethods(cluster),
  ...jobMethods(cluster),
  ...jobReadMethods(cluster),
  ...jobWriteMethods(cluster),
  ...jobActMethods(cluster),
  ...jobScalingMethods(cluster),
  ...deploymentWriteMethods(cluster),
  ...nodeWriteMethods(cluster),
  ...outcomeMethods(cluster),
  ...allocationWriteMethods(cluster),
  ...searchMethods(cluster),
  ...validateMethods(cluster),
  ...systemMethods(cluster),
  ...operatorMethods(cluster),
  ...policyMethods(cluster),
  ...tokenMethods(cluster),
  ...agentMethods(cluster),
})

/**
 * Everything a scheduler can be asked, besides HTTP.
 *
 * @public
 */
export interface Methods
  extends ReturnType<typeof poolMethods>,
    ReturnType<typeof nodeMethods>,
    ReturnType<typeof jobMethods>,
    ReturnType<typeof jobReadMethods>,
    ReturnType<typeof jobWriteMethods>,
    ReturnType<typeof jobActMethods>,
    ReturnType<typeof jobScalingMethods>,
    ReturnType<typeof deploymentWriteMethods>,
    ReturnType<typeof nodeWriteMethods>,
    ReturnType<typeof outcomeMethods>,
    ReturnType<typeof allocationWriteMethods>,
    ReturnType<typeof searchMethods>,
    ReturnType<typeof validateMethods>,
    ReturnType<typeof systemMethods>,
    ReturnType<typeof operatorMethods>,
    ReturnType<typeof policyMethods>,
    ReturnType<typeof tokenMethods>,
    ReturnType<typeof agentMethods> {}
