import type { QueryRefusal } from '../wire/query.ts'

/**
 * Every refusal of the scheduler.
 *
 * @public
 */
export type SchedulerRefusal =
  | QueryRefusal
  | 'permission_denied'
  | 'unknown_region'
  | 'invalid_filter'
  | 'filter_failed'
  | 'filter_conflict'
  | 'pool_not_found'
  | 'pool_unknown'
  | 'pool_name_empty'
  | 'pool_name_mismatch'
  | 'pool_in_use'
  | 'built_in_pool'
  | 'built_in_pool_kept'
  | 'invalid_pool'
  | 'body_empty'
  | 'body_not_object'
  | 'job_not_found'
  | 'node_not_found'
  | 'deployment_not_found'
  | 'allocation_not_found'
  | 'evaluation_not_found'
  | 'registration_disabled'
  | 'job_version_not_found'
  | 'job_version_is_current'
  | 'job_version_mismatch'
  | 'not_evaluated'
  | 'not_periodic'
  | 'schedule_is_off'
  | 'unknown_scaling_group'
  | 'invalid_scaling'
  | 'scaling_blocked'
  | 'not_parameterized'
  | 'job_is_stopped'
  | 'invalid_dispatch'
  | 'invalid_job_request'
  | 'deployment_is_over'
  | 'unknown_task_group'
  | 'unhealthy_canaries'
  | 'deployment_not_blocked'
  | 'allocation_not_deployed'
  | 'deployment_id_missing'
  | 'deployment_id_mismatch'
  | 'invalid_deployment_request'
  | 'node_is_draining'
  | 'invalid_node'
  | 'illegal_node_move'
  | 'invalid_node_request'
  | 'node_id_mismatch'
  | 'invalid_eligibility'
  | 'allocation_is_over'
  | 'invalid_scheduler_configuration'
  | 'invalid_cas'
  | 'invalid_search'
  | 'invalid_job_text'
  | 'job_versions_not_found'
  | 'job_missing'
  | 'job_id_missing'
  | 'job_id_mismatch'
  | 'invalid_job'
  | 'invalid_job_index'
  | 'invalid_priority'
  | 'job_type_changed'
  | 'job_index_mismatch'
  | 'unknown_job_pool'
  | 'acl_disabled'
  | 'bootstrap_done'
  | 'policy_not_found'
  | 'policy_name_mismatch'
  | 'invalid_acl_policy'
  | 'token_not_found'
  | 'token_accessor_mismatch'
  | 'invalid_acl_token'

/**
 * The status of every refusal: what does not exist is 404, what the caller can change
 * is 400, and nothing a caller does is 5xx.
 */
export const specStatus = {
  invalid_index: 400,
  invalid_wait: 400,
  invalid_stale: 400,
  invalid_per_page: 400,
  invalid_flag: 400,
  invalid_fields: 400,
  prefix_not_allowed: 400,
  permission_denied: 403,
  unknown_region: 404,
  invalid_filter: 400,
  filter_failed: 400,
  filter_conflict: 400,
  pool_not_found: 404,
  pool_unknown: 404,
  pool_name_empty: 400,
  pool_name_mismatch: 400,
  pool_in_use: 400,
  built_in_pool: 400,
  built_in_pool_kept: 400,
  invalid_pool: 400,
  body_empty: 400,
  body_not_object: 400,
  job_not_found: 404,
  node_not_found: 404,
  deployment_not_found: 404,
  allocation_not_found: 404,
  evaluation_not_found: 404,
  acl_disabled: 400,
  bootstrap_done: 400,
  policy_not_found: 404,
  policy_name_mismatch: 400,
  invalid_acl_policy: 400,
  token_not_found: 404,
  token_accessor_mismatch: 400,
  invalid_acl_token: 400,
  job_versions_not_found: 404,
  job_missing: 400,
  job_id_missing: 400,
  job_id_mismatch: 400,
  invalid_job: 400,
  invalid_job_index: 400,
  invalid_priority: 400,
  job_type_changed: 400,
  job_index_mismatch: 400,
  unknown_job_pool: 400,
  allocation_is_over: 400,
  invalid_scheduler_configuration: 400,
  invalid_cas: 400,
  invalid_search: 400,
  invalid_job_text: 400,
  job_version_not_found: 404,
  job_version_is_current: 400,
  job_version_mismatch: 400,
  not_evaluated: 400,
  not_periodic: 400,
  schedule_is_off: 400,
  unknown_scaling_group: 400,
  invalid_scaling: 400,
  scaling_blocked: 400,
  not_parameterized: 400,
  job_is_stopped: 400,
  invalid_dispatch: 400,
  invalid_job_request: 400,
  deployment_is_over: 400,
  unknown_task_group: 400,
  unhealthy_canaries: 400,
  deployment_not_blocked: 400,
  allocation_not_deployed: 400,
  deployment_id_missing: 400,
  deployment_id_mismatch: 400,
  invalid_deployment_request: 400,
  node_is_draining: 400,
  invalid_node: 400,
  illegal_node_move: 400,
  invalid_node_request: 400,
  node_id_mismatch: 400,
  invalid_eligibility: 400,
  registration_disabled: 403,
} as const satisfies Record<SchedulerRefusal, number>

/** The same as services of this kind are known to answer, 500 for callers' mistakes included. */
export const compatStatus = {
  ...specStatus,
  invalid_flag: 500,
  unknown_region: 500,
  pool_unknown: 500,
  pool_in_use: 500,
  built_in_pool_kept: 500,
  token_not_found: 403,
  invalid_job: 500,
  job_type_changed: 500,
  job_index_mismatch: 500,
  unknown_job_pool: 500,
  allocation_is_over: 500,
  job_version_not_found: 500,
  job_version_is_current: 500,
  job_version_mismatch: 500,
  not_evaluated: 500,
  not_periodic: 500,
  schedule_is_off: 500,
  not_parameterized: 500,
  job_is_stopped: 500,
  invalid_dispatch: 500,
  deployment_is_over: 500,
  unknown_task_group: 500,
  unhealthy_canaries: 500,
  deployment_not_blocked: 500,
  node_is_draining: 500,
  invalid_eligibility: 500,
  invalid_search: 500,
} as const satisfies Record<SchedulerRefusal, number>
