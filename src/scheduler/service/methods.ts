import { policyMethods } from './acl/policies.ts'
import { tokenMethods } from './acl/tokens.ts'
import type { Cluster } from './cluster.ts'
import { jobActMethods } from './jobs/job-actions.ts'
import { jobReadMethods } from './jobs/job-reads.ts'
import { jobScalingMethods } from './jobs/job-scaling.ts'
import { jobWriteMethods } from './jobs/job-writes.ts'
import { jobMethods } from './jobs/jobs.ts'
import { validateMethods } from './jobs/validate-job.ts'
import { nodeWriteMethods } from './nodes/node-writes.ts'
import { nodeMethods } from './nodes/nodes.ts'
import { poolMethods } from './nodes/pools.ts'
import { allocationWriteMethods } from './outcomes/allocation-writes.ts'
import { deploymentWriteMethods } from './outcomes/deployment-writes.ts'
import { outcomeMethods } from './outcomes/outcomes.ts'
import { searchMethods } from './read/search.ts'
import { agentMethods } from './system/agent.ts'
import { operatorMethods } from './system/operator.ts'
import { systemMethods } from './system/system.ts'

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
