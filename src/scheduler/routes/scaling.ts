import { operations } from '../operations/operations.ts'
import { ScalingPolicy, ScalingPolicyStub } from '../scaling/policy.ts'
import type { SchedulerRoute } from './context.ts'
import { listOf, readOf } from './reads.ts'

/** Scaling policies, which come and go with their jobs. */
export const scalingRoutes: readonly SchedulerRoute[] = [
  listOf({
    id: 'scaling.policies',
    path: '/v1/scaling/policies',
    summary: 'List the scaling policies of jobs that are not stopped',
    access: 'namespace:list-scaling-policies, or namespace:list-jobs and namespace:read-job',
    run: operations.listScalingPolicies,
    reply: ScalingPolicyStub.meta({ id: 'ScalingPolicyStub' }),
    prefix: true,
    texts: { job: 'only those of this job' },
    with: (_, call, __, { job }) => [Object.assign(call, { job })],
  }),
  readOf({
    id: 'scaling.policy',
    path: '/v1/scaling/policy/:policy_id',
    summary: 'Read a scaling policy',
    access: 'namespace:read-scaling-policy, or namespace:list-jobs and namespace:read-job',
    run: operations.readScalingPolicy,
    reply: ScalingPolicy.meta({ id: 'ScalingPolicy' }),
    with: ({ policy_id }, call) => [policy_id, call],
  }),
]
