import { policyOperations } from './acl/policies.ts'
import { tokenOperations } from './acl/tokens.ts'
import { agentOperations } from './agent.ts'
import { allocationWriteOperations } from './allocation-writes.ts'
import { deploymentWriteOperations } from './deployment-writes.ts'
import { deregisterOperations } from './jobs/deregister.ts'
import { dispatchOperations } from './jobs/dispatch.ts'
import { evaluateOperations } from './jobs/evaluate.ts'
import { launchOperations } from './jobs/launch.ts'
import { planOperations } from './jobs/plan.ts'
import { jobHistoryOperations } from './jobs/read-history.ts'
import { jobReadOperations } from './jobs/read-jobs.ts'
import { registerOperations } from './jobs/register.ts'
import { versionOperations } from './jobs/revert.ts'
import { scaleOperations } from './jobs/scale.ts'
import { validateOperations } from './jobs/validate.ts'
import { nodeReadOperations } from './node-reads.ts'
import { nodeWriteOperations } from './node-writes.ts'
import { operatorOperations } from './operator.ts'
import { outcomeOperations } from './outcomes.ts'
import { permissionOperations } from './permissions.ts'
import { poolOperations } from './pools.ts'
import { searchOperations } from './search.ts'
import { systemOperations } from './system.ts'

/** Everything a scheduler can be asked. */
export const operations = {
  ...poolOperations,
  ...nodeReadOperations,
  ...nodeWriteOperations,
  ...jobReadOperations,
  ...jobHistoryOperations,
  ...registerOperations,
  ...planOperations,
  ...validateOperations,
  ...deregisterOperations,
  ...dispatchOperations,
  ...launchOperations,
  ...evaluateOperations,
  ...versionOperations,
  ...scaleOperations,
  ...outcomeOperations,
  ...deploymentWriteOperations,
  ...allocationWriteOperations,
  ...searchOperations,
  ...systemOperations,
  ...operatorOperations,
  ...policyOperations,
  ...tokenOperations,
  ...agentOperations,
  ...permissionOperations,
}
