import { type RefusalCode, refusalCodesOf, type TextsFor } from '../../http/refusal-codes.ts'
import { specStatus } from './status-of.ts'

const checkAndRetry = 'Read the job again, and repeat the change with its JobModifyIndex.'

const texts: TextsFor<typeof specStatus> = {
  invalid_index: ['`index` is not a whole number.', 'Send the value of an earlier index header.'],
  invalid_wait: ['`wait` is not a duration.', 'Write it as in 30s or 5m.'],
  invalid_stale: ['`stale` is neither true nor false.', 'Send `stale=true`, or leave it out.'],
  invalid_per_page: ['`per_page` is not a whole number from 0.', 'Correct `per_page`.'],
  invalid_flag: [
    'A query parameter is neither true nor false.',
    'Correct the parameter that the message names.',
  ],
  invalid_fields: [
    'A query parameter or field has a wrong value.',
    'Correct the field that the message names.',
  ],
  invalid_format: ['The format of the metrics is unknown.', 'Use `json` or `prometheus`.'],
  evaluations_are_processed: [
    'Evaluations cannot be deleted while the scheduler processes them.',
    'Set `PauseEvalBroker` in the scheduler configuration, delete, and set it back.',
  ],
  evaluation_is_open: [
    'An evaluation to delete has not ended.',
    'Wait until it is complete, failed or canceled.',
  ],
  invalid_evaluation_choice: [
    'The evaluations to delete are not named in one way.',
    'Send either IDs or a filter.',
  ],
  scaling_policy_not_found: ['There is no scaling policy with this ID.', 'List the scaling policies.'],
  invalid_topic: [
    'A topic of the event stream is unknown or malformed.',
    'Use a topic that the message lists, as in Job:web.',
  ],
  prefix_not_allowed: ['The list takes no `prefix`.', 'Leave it out, or use `filter`.'],
  permission_denied: [
    'The token is unknown, expired or lacks the capability.',
    'Use a token whose policies grant it; `whoAmI` and `/v1/acl/token/self` show them.',
  ],
  unknown_region: [
    'The request is for another region.',
    'Leave `region` out, or mount a service that forwards.',
  ],
  invalid_page_token: [
    'The page token is damaged, or belongs to another list.',
    'Start at the first page, and pass the token of each answer unchanged.',
  ],
  invalid_filter: [
    'The filter expression does not parse or names an unknown field.',
    'Correct the expression at the position in the message.',
  ],
  filter_failed: [
    'The filter expression failed on a row.',
    'Correct the expression, or compare values of one kind.',
  ],
  filter_conflict: ['The filter expression stands beside another filter parameter.', 'Use one of the two.'],
  pool_not_found: ['There is no node pool of this name.', 'List the node pools.'],
  pool_unknown: ['The node pool to delete does not exist.', 'List the node pools.'],
  pool_name_empty: ['The name of the node pool is empty.', 'Name the node pool.'],
  pool_name_mismatch: ['The path and the body name different node pools.', 'Send the same name in both.'],
  pool_in_use: ['The node pool has nodes or jobs.', 'Move or stop them first.'],
  built_in_pool: ['Built-in node pools cannot be changed.', 'Create a node pool of your own.'],
  built_in_pool_kept: ['Built-in node pools cannot be deleted.', 'Leave it as it is.'],
  invalid_pool: ['A field of the node pool is not valid.', 'Correct the fields that the message names.'],
  namespace_not_found: ['There is no such namespace.', 'List the namespaces, or create it.'],
  namespace_name_mismatch: [
    'The path and the body name different namespaces.',
    'Send the same name in both.',
  ],
  namespace_in_use: ['The namespace has jobs that have not ended.', 'Stop its jobs first.'],
  default_namespace_kept: ['The default namespace cannot be deleted.', 'Leave it as it is.'],
  invalid_namespace: ['A field of the namespace is not valid.', 'Correct the field that the message names.'],
  unknown_job_namespace: ['The job is in a namespace that does not exist.', 'Create the namespace first.'],
  body_empty: ['The request has no body.', 'Send the JSON document that the endpoint describes.'],
  body_not_object: ['The body is not a JSON object.', 'Wrap the value as the message shows.'],
  job_not_found: ['The namespace has no job with this ID.', 'Check the ID and `namespace`.'],
  node_not_found: ['There is no node with this ID.', 'List the nodes; a prefix of the ID is not enough.'],
  node_unknown: ['The node to change does not exist.', 'Register the node first.'],
  deployment_not_found: ['There is no deployment with this ID.', 'List the deployments of the job.'],
  deployment_unknown: ['The deployment to change does not exist.', 'List the deployments of the job.'],
  allocation_not_found: ['There is no allocation with this ID.', 'List the allocations of the job.'],
  evaluation_not_found: [
    'There is no evaluation with this ID.',
    'List the evaluations of the job; old ones are garbage-collected.',
  ],
  acl_disabled: ['Access control is off.', 'Create the scheduler with `acl: true`.'],
  bootstrap_done: ['The first management token exists.', 'Use that token to create others.'],
  policy_not_found: ['There is no ACL policy of this name.', 'List the policies.'],
  policy_name_mismatch: ['The path and the body name different policies.', 'Send the same name in both.'],
  invalid_acl_policy: [
    'The policy has a wrong name or rules that do not parse.',
    'Correct what the message names.',
  ],
  role_not_found: ['There is no ACL role with this ID or name.', 'List the roles.'],
  role_id_mismatch: ['The path and the body name different roles.', 'Send the same ID in both.'],
  invalid_acl_role: ['A field of the role is not valid.', 'Correct the field that the message names.'],
  token_not_found: ['There is no ACL token with this accessor.', 'List the tokens.'],
  token_accessor_mismatch: [
    'The path and the body name different tokens.',
    'Send the same AccessorID in both.',
  ],
  invalid_acl_token: ['A field of the token is not valid.', 'Correct the field that the message names.'],
  job_versions_not_found: ['There is no job with this ID.', 'Check the ID and `namespace`.'],
  job_missing: ['The body has no job.', 'Send `{"Job": …}`.'],
  job_id_missing: ['The job has no ID.', 'Give the job an ID.'],
  job_id_mismatch: ['The path and the body name different jobs.', 'Send the same ID in both.'],
  invalid_job: ['The job has fields that are not valid.', 'Correct the fields that the message lists.'],
  invalid_job_index: [
    '`JobModifyIndex` is not a whole number.',
    'Send the JobModifyIndex of the job, or 0 for a new one.',
  ],
  invalid_priority: ['The priority of the evaluation is out of range.', 'Use 1 to 100.'],
  invalid_preserve: ['A flag to preserve counts or resources is not a boolean.', 'Send true or false.'],
  job_type_changed: ['The type of a job cannot change.', 'Register the job under another ID.'],
  job_index_mismatch: ['The job changed since the caller read it.', checkAndRetry],
  unknown_job_pool: ['The job is for a node pool that does not exist.', 'Create the node pool first.'],
  allocation_is_over: ['The allocation has ended.', 'Choose one that runs.'],
  invalid_scheduler_configuration: [
    'A field of the configuration is not valid.',
    'Correct the field that the message names.',
  ],
  invalid_cas: ['`cas` is not a whole number.', 'Send the ModifyIndex of what is written.'],
  invalid_search: ['The search has a wrong context or text.', 'Correct what the message names.'],
  invalid_job_text: ['The job file does not parse.', 'Correct it at the line that the message names.'],
  job_submission_not_found: [
    'The source of this version of the job was not kept.',
    'Register the job with `Submission`.',
  ],
  invalid_submission: ['The submission has a wrong field.', 'Correct the field that the message names.'],
  invalid_version_tag: [
    'The tag has a wrong or used name, or the job has too many tags.',
    'Correct what the message names.',
  ],
  version_tag_not_found: ['The job has no version with this tag.', 'List the versions of the job.'],
  job_version_not_found: ['The job has no such version.', 'List the versions of the job.'],
  job_version_is_current: ['The job is at this version.', 'Name an earlier version.'],
  job_version_mismatch: [
    'The job is no longer at the version that the caller expects.',
    'Read the job again.',
  ],
  not_evaluated: [
    'Periodic and parameterized jobs are not evaluated.',
    'Launch or dispatch the job instead.',
  ],
  not_periodic: ['The job is not periodic.', 'Name a job with a `periodic` block.'],
  schedule_is_off: ['The schedule of the job is off.', 'Register the job with `Periodic.Enabled`.'],
  unknown_scaling_group: ['The job has no task group of this name.', 'Name a task group of the job.'],
  invalid_scaling: [
    'The count is missing or out of range.',
    'Send a count within the limits that the message names.',
  ],
  scaling_blocked: ['A deployment of the job is in progress.', 'Wait until it ends.'],
  not_parameterized: ['The job is not parameterized.', 'Name a job with a `parameterized` block.'],
  job_is_stopped: ['The job is stopped.', 'Register it again.'],
  invalid_dispatch: [
    'The payload or the metadata do not fit the job.',
    'Send what its `parameterized` block asks for.',
  ],
  invalid_job_request: [
    'A field of the request is missing or wrong.',
    'Correct the field that the message names.',
  ],
  deployment_is_over: ['The deployment has ended.', 'Choose one that runs.'],
  unknown_task_group: [
    'The deployment has no task group of this name.',
    'Name a task group of the deployment.',
  ],
  unhealthy_canaries: ['Not enough canaries are healthy.', 'Wait until they are, or fail the deployment.'],
  deployment_not_blocked: ['The deployment does not wait for other regions.', 'Nothing is left to do.'],
  allocation_not_deployed: [
    'The allocation belongs to another deployment.',
    'Name allocations of this deployment.',
  ],
  deployment_id_missing: ['The body has no DeploymentID.', 'Send the ID of the deployment.'],
  deployment_id_mismatch: ['The path and the body name different deployments.', 'Send the same ID in both.'],
  invalid_deployment_request: [
    'A field of the request is missing or wrong.',
    'Correct the field that the message names.',
  ],
  invalid_node_secret: [
    'The secret of the node is wrong, missing or in use.',
    'Send the SecretID that the node registered with.',
  ],
  invalid_report: [
    'A report of a node names an unknown or foreign allocation.',
    'Report on allocations of the node only.',
  ],
  node_is_draining: ['A draining node cannot become eligible.', 'Stop the drain first.'],
  invalid_node: ['A field of the node is not valid.', 'Correct the field that the message names.'],
  illegal_node_move: [
    'The node cannot change to this status from its own.',
    'Read the node, and see its lifecycle.',
  ],
  invalid_node_request: [
    'A field of the request is missing or wrong.',
    'Correct the field that the message names.',
  ],
  node_id_mismatch: ['The path and the body name different nodes.', 'Send the same ID in both.'],
  invalid_eligibility: ['The eligibility is unknown.', 'Use `eligible` or `ineligible`.'],
  no_path_to_node: ['The node has no runner, or its runner does not answer.', 'Check the node; try again.'],
  file_not_found: ['The allocation has no such file, or its files were deleted.', 'List its folder.'],
  invalid_runner_call: [
    'The runner cannot do this with the task or file.',
    'Correct what the message names.',
  ],
  variable_not_found: ['There is no variable at this path.', 'List the variables of the namespace.'],
  invalid_variable: ['The variable has a wrong path or items.', 'Correct what the message names.'],
  unreadable_variable: [
    'The body of a variable has no `Items`, or a field of another type.',
    'Correct what the message names.',
  ],
  cas_mismatch: [
    'The variable has another ModifyIndex than the caller expects.',
    'Read the variable again, and repeat the change with its ModifyIndex.',
  ],
  registration_disabled: [
    'The operator has turned job registration off.',
    'Use a management token, or turn it on.',
  ],
  bad_record: ['A record to load is not valid.', 'Correct the record at the path in `detail.path`.'],
  not_empty: ['The scheduler holds data already.', 'Load records into an empty store.'],
}

/**
 * Every refusal of the scheduler, sorted by code, with its HTTP status, its meaning and a remedy. With
 * `errors: 'compat'` some statuses are 500 or 403 instead.
 *
 * @example
 * ```ts
 * import { refusalCodes } from 'plinth/scheduler'
 *
 * refusalCodes.find(({ code }) => code === 'job_not_found')?.status // 404
 * ```
 */
export const refusalCodes: readonly RefusalCode[] = /* @__PURE__ */ refusalCodesOf(specStatus, texts)
