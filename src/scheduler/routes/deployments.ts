import * as z from 'zod'
import { type Refused, refuse } from '../../kernel/index.ts'
import type { Methods } from '../service/methods.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import { written, writtenHeaders } from '../wire/replies.ts'
import { readBody } from './body.ts'
import { route, type SchedulerRoute } from './context.ts'
import { jobWrittenReply } from './job-reply.ts'

const Named = z.object({ DeploymentID: z.string().default('') })
const texts = z.array(z.string()).nullable().default(null)

const refusals = [
  'permission_denied',
  'body_empty',
  'body_not_object',
  'deployment_id_missing',
  'deployment_id_mismatch',
  'invalid_deployment_request',
  'deployment_not_found',
  'deployment_unknown',
  'deployment_is_over',
  'unknown_task_group',
  'unhealthy_canaries',
  'deployment_not_blocked',
  'allocation_not_deployed',
] as const satisfies readonly SchedulerRefusal[]

type Steered = ReturnType<Methods['failDeployment']>

/** Declares one way to steer a deployment. */
const steering = <Body extends z.output<typeof Named>>(spec: {
  readonly verb: 'pause' | 'fail' | 'promote' | 'allocation-health' | 'unblock'
  readonly summary: string
  readonly body: z.ZodType<Body>
  /** Whether the body must name the deployment again. */
  readonly named: boolean
  readonly steer: (scheduler: Methods, id: string, body: Body, token: string | undefined) => Steered
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
    refusals,
    handle: async ({ context, params, body }) => {
      const { deployment_id: id } = params as { readonly deployment_id: string } // captured by the path above
      const given = body === undefined && !spec.named ? {} : body
      const read = readBody(spec.body, given, 'a deployment request', 'invalid_deployment_request')
      if (!read.ok) return read
      const wrong = misnamed(read.value.DeploymentID, id, spec.named)
      if (wrong !== undefined) return wrong
      const steered = await spec.steer(context.scheduler, id, read.value, context.token)
      // Services of this kind have another status for one that is written than for one that is read.
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

/** What steers deployments. */
export const deploymentRoutes: readonly SchedulerRoute[] = [
  steering({
    verb: 'pause',
    summary: 'Pause a deployment, or let it go on',
    body: Named.extend({ Pause: z.boolean().default(false) }),
    named: true,
    steer: (scheduler, id, { Pause }, token) => scheduler.pauseDeployment(id, Pause, { token }),
  }),
  steering({
    verb: 'fail',
    summary: 'Fail a deployment',
    body: Named,
    named: false,
    steer: (scheduler, id, _, token) => scheduler.failDeployment(id, { token }),
  }),
  steering({
    verb: 'promote',
    summary: 'Promote canaries',
    body: Named.extend({ All: z.boolean().default(false), Groups: texts }),
    named: true,
    steer: (scheduler, id, { All, Groups }, token) =>
      scheduler.promoteDeployment(id, { groups: All ? undefined : (Groups ?? undefined) }, { token }),
  }),
  steering({
    verb: 'allocation-health',
    summary: 'Say which allocations of a deployment are healthy',
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
    summary: 'Let a deployment go on that waits for this region',
    body: Named,
    named: false,
    steer: (scheduler, id, _, token) => scheduler.unblockDeployment(id, { token }),
  }),
]
