import { webhookEndpoints } from '../webhooks/routes.ts'
import { access, operationRoute } from './define-route.ts'
import { webhookOperations } from './operations/webhooks.ts'
import { checkAdministrator } from './token-routes.ts'

const administering = {
  access: access.administer,
  refusals: ['administrator_required'],
  before: checkAdministrator,
} as const

/** The webhooks, for administrators. */
export const webhookRoutes = [
  operationRoute({
    id: 'registry.webhooks.create',
    ...webhookEndpoints.create,
    ...administering,
    run: webhookOperations.createWebhook,
    with: ({ body }) => [body],
  }),
  operationRoute({
    id: 'registry.webhooks.list',
    ...webhookEndpoints.list,
    ...administering,
    run: webhookOperations.listWebhooks,
  }),
  operationRoute({
    id: 'registry.webhooks.delete',
    ...webhookEndpoints.remove,
    ...administering,
    run: webhookOperations.deleteWebhook,
    with: ({ params: { id } }) => [id],
  }),
]
