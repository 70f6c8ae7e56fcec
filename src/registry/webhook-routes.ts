import { reply } from '../http/index.ts'
import { webhookEndpoints } from '../webhooks/endpoints.ts'
import { webhookView } from '../webhooks/model.ts'
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
    show: (made) =>
      reply({ ...webhookView(made), secret: made.secret }, { headers: { 'cache-control': 'no-store' } }),
  }),
  operationRoute({
    id: 'registry.webhooks.list',
    ...webhookEndpoints.list,
    ...administering,
    run: webhookOperations.listWebhooks,
    show: (all) => reply({ webhooks: all.map(webhookView) }),
  }),
  operationRoute({
    id: 'registry.webhooks.delete',
    ...webhookEndpoints.remove,
    ...administering,
    run: webhookOperations.deleteWebhook,
    with: ({ params: { id } }) => [id],
  }),
]
