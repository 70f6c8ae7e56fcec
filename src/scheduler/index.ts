/**
 * A job scheduler: node pools, nodes, jobs, deployments, allocations and evaluations, with filtered pages,
 * blocking queries and access control.
 *
 * @packageDocumentation
 */

// Start here

export type { SchedulerOptions, SchedulerRights } from './service/options.ts'
export { createScheduler, type Scheduler } from './service.ts'

// The rest, by kind

export type { Plain } from '../hcl/index.ts'
export type { OpenApiDocument, RefusalCode, RequestRecord, Route, Words } from '../http/index.ts'
export type { Env, Instant, Outcome, Refusal, Refused, ServiceEvent, Step, Timers } from '../kernel/index.ts'
export type { Json, Store } from '../store/index.ts'
export { type Access, accessOf, fullAccess } from './acl/access.ts'
export { type AclBootstrapped, bootstrapAcl } from './acl/bootstrap.ts'
export type {
  CoarseLevel,
  CoarseResource,
  NamespaceCapability,
  PoolCapability,
  VariableCapability,
} from './acl/capabilities.ts'
export {
  coarsePolicies,
  namespaceCapabilities,
  poolCapabilities,
  variableCapabilities,
} from './acl/capabilities.ts'
export { deletePolicy, type PolicyRemoved } from './acl/delete-policy.ts'
export { deleteRole, type RoleRemoved } from './acl/delete-role.ts'
export { deleteToken, type TokenDeleted } from './acl/delete-token.ts'
export {
  AclPolicy,
  type AclPolicyInput,
  AclPolicyRecord,
  AclPolicyStub,
  AclRole,
  type AclRoleInput,
  AclRoleRecord,
  AclRoleWrite,
  AclToken,
  type AclTokenInput,
  AclTokenRecord,
  AclTokenStub,
  AclTokenWrite,
} from './acl/model.ts'
export { type AclRule, type AclRules, readPolicy } from './acl/policy.ts'
export { readRules } from './acl/policy-text.ts'
export { type PolicyUpserted, upsertPolicy } from './acl/upsert-policy.ts'
export { type RoleWritten, writeRole } from './acl/write-role.ts'
export { createToken, type TokenWritten, updateToken } from './acl/write-token.ts'
export { allocationLifecycle } from './allocations/lifecycle.ts'
export { Allocation, AllocationRecord, type RescheduleTracker } from './allocations/model.ts'
export {
  type AllocationMove,
  type AllocationMoved,
  type AllocationStop,
  moveAllocation,
  stopAllocation,
} from './allocations/move.ts'
export { type Failures, rescheduleAt } from './allocations/reschedule.ts'
export { isTerminalAllocation } from './allocations/rules.ts'
export { type AllocationStub, type AllocationStubFields, allocationStub } from './allocations/stub.ts'
export { effectiveWait, type WaitLimits } from './blocking/wait.ts'
export { type DeployedJob, newDeployment } from './deployments/create.ts'
export { deploymentDescriptions, deploymentLifecycle } from './deployments/lifecycle.ts'
export { Deployment, DeploymentRecord, DeploymentState, DeploymentStatus } from './deployments/model.ts'
export {
  type DeployedAllocation,
  missedDeadline,
  type Progress,
  trackDeployment,
} from './deployments/progress.ts'
export { type Promotion, promoteDeployment } from './deployments/promote.ts'
export { isTerminalDeployment } from './deployments/rules.ts'
export {
  cancelDeployment,
  type DeploymentMoved,
  type Failure,
  failDeployment,
  pauseDeployment,
} from './deployments/steer.ts'
export { type EvaluationCause, type EvaluationTrigger, newEvaluation } from './evaluations/create.ts'
export { evaluationLifecycle } from './evaluations/lifecycle.ts'
export { Evaluation, EvaluationRecord, EvaluationStatus } from './evaluations/model.ts'
export { type EvaluationMove, type EvaluationMoved, moveEvaluation } from './evaluations/move.ts'
export type { EvaluationWithRelated, RelatedEvaluation } from './evaluations/related.ts'
export { isTerminalEvaluation } from './evaluations/rules.ts'
export type { CollectOptions } from './gc/ages.ts'
export type { Collected, GarbageCollected } from './gc/collected.ts'
export type { AllocationWithJob } from './jobs/allocation-with-job.ts'
export type { JobLaunched } from './jobs/child.ts'
export type {
  DiffType,
  FieldDiff,
  JobDiff,
  ObjectDiff,
  TaskDiff,
  TaskGroupDiff,
} from './jobs/diff.ts'
export { type DispatchInput, type DispatchRefusal, dispatchJob } from './jobs/dispatch.ts'
export { Job, type JobInput, JobSpec, JobStatus, JobType, PeriodicConfig } from './jobs/model.ts'
export type { Preserving } from './jobs/preserve.ts'
export {
  type JobRegistered,
  type RegisterInput,
  type RegisterPolicy,
  type RegisterRefusal,
  registerJob,
} from './jobs/register.ts'
export { jobProblems, sameSpec } from './jobs/rules.ts'
export { sameTasks } from './jobs/same-tasks.ts'
export { type ScaleInput, type ScaleRefusal, scaleJob } from './jobs/scale.ts'
export { type JobWork, jobStatusOf } from './jobs/status.ts'
export { type JobStopped, stopJob } from './jobs/stop.ts'
export { type JobStub, type JobStubFields, jobStub, type PoolJobStub, poolJobStub } from './jobs/stub.ts'
export { queuedOf, summariseChildren, summariseGroups } from './jobs/summary.ts'
export { ChildrenSummary, GroupSummary, JobSummary, JobSummaryRecord } from './jobs/summary-model.ts'
export {
  DisconnectStrategy,
  MigrateStrategy,
  ReschedulePolicy,
  Resources,
  Task,
  TaskGroup,
  UpdateStrategy,
} from './jobs/task-group.ts'
export { type KeptVersion, surplusVersions } from './jobs/versions.ts'
export { jobWarnings } from './jobs/warnings.ts'
export type { RecordKind } from './load/kinds.ts'
export type { Loaded } from './load/load.ts'
export type { NamespaceDeleted } from './namespaces/delete.ts'
export type { Namespace, NamespaceInput, NamespaceSpec } from './namespaces/model.ts'
export type { NamespaceUpserted } from './namespaces/upsert.ts'
export {
  completeDrain,
  type DrainInput,
  drainNode,
  type EligibilityChanged,
  type NodeDrained,
  setEligibility,
} from './nodes/drain.ts'
export { nodeLifecycle } from './nodes/lifecycle.ts'
export type { DriverInfo, NodeResources, NodeWithDrain, ReservedResources } from './nodes/model.ts'
export { DrainStrategy, LastDrain, Node, type NodeInput, NodeRecord, NodeStatus } from './nodes/model.ts'
export { type NodeRegistered, registerNode } from './nodes/register.ts'
export { moveNode, type NodeMoved, type NodeVerb } from './nodes/status.ts'
export { type NodeStub, type NodeStubFields, nodeStub } from './nodes/stub.ts'
export type { BootstrapInput } from './operations/acl/tokens.ts'
export type { AgentMember, AgentMembers, AgentSelf } from './operations/agent.ts'
export type { AllocationUpdate } from './operations/allocation-writes.ts'
export type {
  DeregisterJobCall,
  EvaluateJobCall,
  JobCall,
  JobVersionsCall,
  ListAllocationsCall,
  ListEvaluationsCall,
  ListJobsCall,
  ListNodesCall,
  OfEveryIncarnation,
  PlanJobCall,
  RegisterJobCall,
  SearchCall,
  WriteConfigurationCall,
} from './operations/calls.ts'
export type { DeploymentWritten, HealthVerdicts, PromotionInput } from './operations/deployment-writes.ts'
export type { DeleteEvaluationsInput } from './operations/evaluation-writes.ts'
export type { StreamEventsCall } from './operations/events.ts'
export type { JobDispatched } from './operations/jobs/dispatch.ts'
export type { JobWritten } from './operations/jobs/job-written.ts'
export type { JobPlan } from './operations/jobs/plan.ts'
export type { JobVersions } from './operations/jobs/read-history.ts'
export type { RevertInput, StableInput } from './operations/jobs/revert.ts'
export type {
  JobScaled,
  JobScaleStatus,
  ScalingEvent,
  TaskGroupScaleStatus,
} from './operations/jobs/scale.ts'
export type { TagVersionInput, VersionTagged } from './operations/jobs/tag-version.ts'
export type { JobValidated } from './operations/jobs/validate.ts'
export type { ClusterMetrics, Gauge } from './operations/metrics.ts'
export type { NodeWritten } from './operations/node-writes.ts'
export type { SearchFound } from './operations/search.ts'
export type { SummariesChecked } from './operations/system.ts'
export type { WriteVariableCall } from './operations/variables.ts'
export { type Cron, type CronRead, parseCron } from './periodic/cron.ts'
export { type LaunchRefusal, launchPeriodicJob } from './periodic/launch.ts'
export { lastMissed, nextLaunch, type Schedule, scheduleProblems } from './periodic/schedule.ts'
export { type CanaryInput, type CanaryState, canaryWork } from './placement/canary-work.ts'
export {
  SchedulerConfiguration,
  type SchedulerConfigurationFound,
  type SchedulerConfigurationInput,
} from './placement/configuration.ts'
export type { DesiredUpdates } from './placement/desired-updates.ts'
export type { DeviceUse } from './placement/devices.ts'
export { type DrainPaceInput, type DrainPaceState, drainPace, type Leaving } from './placement/drain-pace.ts'
export { isInReach, matchesDatacenter, meetsConstraints } from './placement/feasible.ts'
export type {
  GroupWork,
  ReconcileInput,
  ReconcileState,
  SeenAllocation,
  Stopping,
} from './placement/group-work.ts'
export type { NodeScore, PlacementMetrics } from './placement/metrics-model.ts'
export {
  type Placement,
  type PlacementInput,
  type PlacementPlan,
  type PlacementState,
  place,
  type Taken,
  usageOf,
} from './placement/place.ts'
export type { ExistingAllocation } from './placement/placer-input.ts'
export type { PortUse } from './placement/ports.ts'
export { reconcile } from './placement/reconcile.ts'
export type { SchedulerAlgorithm, Usage } from './placement/site.ts'
export { systemWork } from './placement/system-work.ts'
export { deletePool, type PoolDeleted, type PoolUse } from './pools/delete.ts'
export { NodePool, type PoolInput, PoolSchedulerConfiguration, PoolSpec } from './pools/model.ts'
export { builtInPools, isBuiltIn, listProblems, poolProblems } from './pools/rules.ts'
export { type PoolUpserted, upsertPool } from './pools/upsert.ts'
export type { ScalingEventRecord } from './records/collections.ts'
export type { RouteContext, SchedulerRoute } from './routes/context.ts'
export type { RunnerAnswer, RunnerAnswerInput, RunnerCall } from './runners/call-model.ts'
export type { RunnerAllocation, RunnerHeard, RunnerRegistered, RunnerReport } from './runners/model.ts'
export type { ScalingPolicy, ScalingPolicyStub } from './scaling/policy.ts'
export type { FoundContext, SearchContext } from './search/contexts.ts'
export type { FuzzyMatch } from './search/fuzzy.ts'
export type { Found, ListCall, ReadCall, WriteCall, Written } from './service/call.ts'
export type { ClusterEvent } from './service/event-stream/change-events.ts'
export type { ClusterEvents } from './service/event-stream/follow.ts'
export type { EventTopic } from './service/event-stream/topics.ts'
export type { SchedulerEvent } from './service/events.ts'
export type { ListRefusal } from './service/read/list.ts'
export { refusalCodes } from './service/refusal-codes.ts'
export type { SchedulerRefusal } from './service/status-of.ts'
export type { JobSubmission, JobSubmissionInput, JobSubmissionSpec } from './submissions/model.ts'
export type {
  Variable,
  VariableInput,
  VariableRecord,
  VariableSpec,
  VariableStub,
} from './variables/model.ts'
export type { VariableChanged } from './variables/write.ts'
