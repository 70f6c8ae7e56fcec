import * as z from 'zod'
import { type Refused, refuse } from '../../kernel/index.ts'
import type { DeploymentWritten } from '../operations/deployment-writes.ts'
import { operations } from '../operations/operations.ts'
import type { WriteCall, Written } from '../service/call.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import { written, writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { type ClusterWork, operationRoute, type SchedulerRoute } from './context.ts'
import { jobWrittenReply } from './job-reply.ts'

const Named = z.object({ DeploymentID: z.string().default('') })
const texts = z.array(z.string()).nullable().default(null)

/** The refusals of the requests themselves. */
const refusals = [
  ...bodies,
  'deployment_id_missing',
  'deployment_id_mismatch',
  'invalid_deployment_request',
  'deployment_unknown',
] as const

/** Declares one way to steer a deployment. */
const steering = <
  Body extends z.output<typeof Named>,
  Args extends readonly unknown[],
  Code extends SchedulerRefusal,
>(spec: {
  readonly verb: 'pause' | 'fail' | 'promote' | 'allocation-health' | 'unblock'
  readonly summary: string
  readonly body: z.ZodType<Body>
  /** Whether the body must name the deployment again. */
  readonly named: boolean
  readonly run: ClusterWork<Args, Written<DeploymentWritten>, Code>
  /** The arguments of the operation. */
  readonly with: (id: string, body: Body, call: WriteCall) => readonly [...Args]
}): SchedulerRoute =>
  operationRoute({
    id: `deployments.${spec.verb}`,
    method: ['PUT', 'POST'],
    path: `/v1/deployment/${spec.verb}/:deployment_id`,
    summary: spec.summary,
    access: 'namespace:submit-job',
    accepts: spec.named ? spec.body : spec.body.optional(),
    reply: written.Deployment,
    emits: writtenHeaders,
    refusals,
    run: spec.run,
    with: ({ context, params, body }) => {
      const { deployment_id: id } = params as { readonly deployment_id: string } // captured by the path above
      const given = body === undefined && !spec.named ? {} : body
      const read = readBody(spec.body, given, 'a deployment request', 'invalid_deployment_request')
      if (!read.ok) return read
      const wrong = misnamed(read.value.DeploymentID, id, spec.named)
      if (wrong !== undefined) return wrong
      return spec.with(id, read.value, { token: context.token })
    },
    // Existing services use different statuses for an unknown deployment in writes and in reads.
    answer: (steered, call) =>
      !steered.ok && steered.refusal.code === 'deployment_not_found' && call.context.compat
        ? refuse('deployment_unknown', steered.refusal.message)
        : jobWrittenReply(steered, call),
  })

function misnamed(
  named: string,
  id: string,
  isAsked: boolean,
): Refused<'deployment_id_missing' | 'deployment_id_mismatch'> | undefined {
  if (named === '')
    return isAsked ? refuse('deployment_id_missing', 'DeploymentID must be specified') : undefined
  return named === id ? undefined : refuse('deployment_id_mismatch', 'Deployment ID does not match')
}

/** The routes that steer deployments. */
export const deploymentRoutes: readonly SchedulerRoute[] = [
  steering({
    verb: 'pause',
    run: operations.pauseDeployment,
    summary: 'Pause or resume a deployment',
    body: Named.extend({ Pause: z.boolean().default(false) }),
    named: true,
    with: (id, { Pause }, call) => [id, Pause, call],
  }),
  steering({
    verb: 'fail',
    run: operations.failDeployment,
    summary: 'Fail a deployment',
    body: Named,
    named: false,
    with: (id, _, call) => [id, call],
  }),
  steering({
    verb: 'promote',
    run: operations.promoteDeployment,
    summary: 'Promote canaries',
    body: Named.extend({ All: z.boolean().default(false), Groups: texts }),
    named: true,
    with: (id, { All, Groups }, call) => [id, { groups: All ? undefined : (Groups ?? undefined) }, call],
  }),
  steering({
    verb: 'allocation-health',
    run: operations.setAllocationHealth,
    summary: 'Set the health of allocations of a deployment',
    body: Named.extend({ HealthyAllocationIDs: texts, UnhealthyAllocationIDs: texts }),
    named: true,
    with: (id, { HealthyAllocationIDs, UnhealthyAllocationIDs }, call) => [
      id,
      { healthy: HealthyAllocationIDs ?? [], unhealthy: UnhealthyAllocationIDs ?? [] },
      call,
    ],
  }),
  steering({
    verb: 'unblock',
    run: operations.unblockDeployment,
    summary: 'Unblock a deployment that waits for this region',
    body: Named,
    named: false,
    with: (id, _, call) => [id, call],
  }),
]
