import * as z from 'zod'
import { type Refused, refuse } from '../../kernel/index.ts'
import type { DeploymentWritten } from '../operations/deployment-writes.ts'
import { operations } from '../operations/operations.ts'
import type { Written } from '../service/call.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import { written, writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { type Methods, route, type SchedulerRoute } from './context.ts'
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

type Steered<Code extends SchedulerRefusal> = Promise<Written<DeploymentWritten> | Refused<Code>>

/** Declares one way to steer a deployment. */
const steering = <Body extends z.output<typeof Named>, Code extends SchedulerRefusal>(spec: {
  readonly verb: 'pause' | 'fail' | 'promote' | 'allocation-health' | 'unblock'
  readonly summary: string
  readonly body: z.ZodType<Body>
  /** Whether the body must name the deployment again. */
  readonly named: boolean
  readonly steer: (scheduler: Methods, id: string, body: Body, token: string | undefined) => Steered<Code>
  readonly runs: { readonly refuses: readonly Code[] }
}): SchedulerRoute =>
  route({
    id: `deployments.${spec.verb}`,
    method: ['PUT', 'POST'],
    path: `/v1/deployment/${spec.verb}/:deployment_id`,
    summary: spec.summary,
    access: 'namespace:submit-job',
    accepts: spec.named ? spec.body : spec.body.optional(),
    reply: written.Deployment,
    emits: writtenHeaders,
    runs: [spec.runs],
    refusals,
    handle: async ({ context, params, body }) => {
      const { deployment_id: id } = params as { readonly deployment_id: string } // captured by the path above
      const given = body === undefined && !spec.named ? {} : body
      const read = readBody(spec.body, given, 'a deployment request', 'invalid_deployment_request')
      if (!read.ok) return read
      const wrong = misnamed(read.value.DeploymentID, id, spec.named)
      if (wrong !== undefined) return wrong
      const steered = await spec.steer(context.scheduler, id, read.value, context.token)
      // Existing services use different statuses for an unknown deployment in writes and in reads.
      if (!steered.ok && steered.refusal.code === 'deployment_not_found' && context.compat)
        return refuse('deployment_unknown', steered.refusal.message)
      return jobWrittenReply(context, steered)
    },
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
    runs: operations.pauseDeployment,
    summary: 'Pause or resume a deployment',
    body: Named.extend({ Pause: z.boolean().default(false) }),
    named: true,
    steer: (scheduler, id, { Pause }, token) => scheduler.pauseDeployment(id, Pause, { token }),
  }),
  steering({
    verb: 'fail',
    runs: operations.failDeployment,
    summary: 'Fail a deployment',
    body: Named,
    named: false,
    steer: (scheduler, id, _, token) => scheduler.failDeployment(id, { token }),
  }),
  steering({
    verb: 'promote',
    runs: operations.promoteDeployment,
    summary: 'Promote canaries',
    body: Named.extend({ All: z.boolean().default(false), Groups: texts }),
    named: true,
    steer: (scheduler, id, { All, Groups }, token) =>
      scheduler.promoteDeployment(id, { groups: All ? undefined : (Groups ?? undefined) }, { token }),
  }),
  steering({
    verb: 'allocation-health',
    runs: operations.setAllocationHealth,
    summary: 'Set the health of allocations of a deployment',
    body: Named.extend({ HealthyAllocationIDs: texts, UnhealthyAllocationIDs: texts }),
    named: true,
    steer: (scheduler, id, { HealthyAllocationIDs, UnhealthyAllocationIDs }, token) =>
      scheduler.setAllocationHealth(
        id,
        { healthy: HealthyAllocationIDs ?? [], unhealthy: UnhealthyAllocationIDs ?? [] },
        { token },
      ),
  }),
  steering({
    verb: 'unblock',
    runs: operations.unblockDeployment,
    summary: 'Unblock a deployment that waits for this region',
    body: Named,
    named: false,
    steer: (scheduler, id, _, token) => scheduler.unblockDeployment(id, { token }),
  }),
]
