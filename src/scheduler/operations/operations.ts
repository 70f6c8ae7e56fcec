import { policyOperations } from './acl/policies.ts'
import { roleOperations } from './acl/roles.ts'
import { tokenOperations } from './acl/tokens.ts'
import { agentOperations } from './agent.ts'
import { allocationWriteOperations } from './allocation-writes.ts'
import { deploymentWriteOperations } from './deployment-writes.ts'
import { evaluationWriteOperations } from './evaluation-writes.ts'
import { eventOperations } from './events.ts'
import { deregisterOperations } from './jobs/deregister.ts'
import { dispatchOperations } from './jobs/dispatch.ts'
import { evaluateOperations } from './jobs/evaluate.ts'
import { launchOperations } from './jobs/launch.ts'
import { planOperations } from './jobs/plan.ts'
import { jobHistoryOperations } from './jobs/read-history.ts'
import { jobReadOperations } from './jobs/read-jobs.ts'
import { submissionOperations } from './jobs/read-submission.ts'
import { registerOperations } from './jobs/register.ts'
import { versionOperations } from './jobs/revert.ts'
import { scaleOperations } from './jobs/scale.ts'
import { tagOperations } from './jobs/tag-version.ts'
import { validateOperations } from './jobs/validate.ts'
import { metricsOperations } from './metrics.ts'
import { namespaceOperations } from './namespaces.ts'
import { nodeReadOperations } from './node-reads.ts'
import { nodeWriteOperations } from './node-writes.ts'
import { operatorOperations } from './operator.ts'
import { outcomeOperations } from './outcomes.ts'
import { permissionOperations } from './permissions.ts'
import { poolOperations } from './pools.ts'
import { runnerOperations } from './runners.ts'
import { scalingPolicyOperations } from './scaling-policies.ts'
import { searchOperations } from './search.ts'
import { systemOperations } from './system.ts'
import { variableOperations } from './variables.ts'

/** All operations of a scheduler. */
export const operations: SchedulerOperations = {
  ...poolOperations,
  ...namespaceOperations,
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
  ...roleOperations,
  ...tokenOperations,
  ...agentOperations,
  ...submissionOperations,
  ...tagOperations,
  ...eventOperations,
  ...metricsOperations,
  ...evaluationWriteOperations,
  ...scalingPolicyOperations,
  ...runnerOperations,
  ...variableOperations,
  ...permissionOperations,
}

/** Their types by name: of a spread, declarations would lose the docstrings. */
export type SchedulerOperations = typeof poolOperations &
  typeof namespaceOperations &
  typeof nodeReadOperations &
  typeof nodeWriteOperations &
  typeof jobReadOperations &
  typeof jobHistoryOperations &
  typeof registerOperations &
  typeof planOperations &
  typeof validateOperations &
  typeof deregisterOperations &
  typeof dispatchOperations &
  typeof launchOperations &
  typeof evaluateOperations &
  typeof versionOperations &
  typeof scaleOperations &
  typeof outcomeOperations &
  typeof deploymentWriteOperations &
  typeof allocationWriteOperations &
  typeof searchOperations &
  typeof systemOperations &
  typeof operatorOperations &
  typeof policyOperations &
  typeof roleOperations &
  typeof tokenOperations &
  typeof agentOperations &
  typeof submissionOperations &
  typeof tagOperations &
  typeof eventOperations &
  typeof metricsOperations &
  typeof evaluationWriteOperations &
  typeof scalingPolicyOperations &
  typeof runnerOperations &
  typeof variableOperations &
  typeof permissionOperations
