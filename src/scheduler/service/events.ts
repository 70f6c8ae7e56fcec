import type { AclBootstrapped } from '../acl/bootstrap.ts'
import type { PolicyRemoved } from '../acl/delete-policy.ts'
import type { RoleRemoved } from '../acl/delete-role.ts'
import type { TokenDeleted } from '../acl/delete-token.ts'
import type { PolicyUpserted } from '../acl/upsert-policy.ts'
import type { RoleWritten } from '../acl/write-role.ts'
import type { TokenWritten } from '../acl/write-token.ts'
import type { AllocationMoved } from '../allocations/move.ts'
import type { DeploymentMoved } from '../deployments/steer.ts'
import type { EvaluationMoved } from '../evaluations/move.ts'
import type { GarbageCollected } from '../gc/collected.ts'
import type { JobLaunched } from '../jobs/child.ts'
import type { JobRegistered } from '../jobs/register.ts'
import type { JobStopped } from '../jobs/stop.ts'
import type { NamespaceDeleted } from '../namespaces/delete.ts'
import type { NamespaceUpserted } from '../namespaces/upsert.ts'
import type { EligibilityChanged, NodeDrained } from '../nodes/drain.ts'
import type { NodeRegistered } from '../nodes/register.ts'
import type { NodeMoved } from '../nodes/status.ts'
import type { PoolDeleted } from '../pools/delete.ts'
import type { PoolUpserted } from '../pools/upsert.ts'
import type { VariableChanged } from '../variables/write.ts'

/**
 * Events of a scheduler, for audit and metrics.
 */
export type SchedulerEvent =
  | PoolUpserted
  | PoolDeleted
  | NamespaceUpserted
  | NamespaceDeleted
  | AclBootstrapped
  | PolicyUpserted
  | PolicyRemoved
  | RoleWritten
  | RoleRemoved
  | TokenWritten
  | TokenDeleted
  | JobRegistered
  | JobStopped
  | JobLaunched
  | EvaluationMoved
  | AllocationMoved
  | DeploymentMoved
  | NodeRegistered
  | NodeMoved
  | NodeDrained
  | EligibilityChanged
  | GarbageCollected
  | VariableChanged
