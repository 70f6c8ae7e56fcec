import { reply } from '../../http/index.ts'
import { webhookEndpoints } from '../../webhooks/endpoints.ts'
import { webhookView } from '../../webhooks/model.ts'
import { webhookOperations } from '../operations/webhooks.ts'
import { operationRoute, writing } from './context.ts'

/** The webhooks, for administrators. */
export const webhookRoutes = [
  operationRoute({
    id: 'plinth.webhooks.create',
    ...webhookEndpoints.create,
    ...writing,
    run: webhookOperations.createWebhook,
    with: ({ body }) => [body],
    show: (made) =>
      reply({ ...webhookView(made), secret: made.secret }, { headers: { 'cache-control': 'no-store' } }),
  }),
  operationRoute({
    id: 'plinth.webhooks.list',
    ...webhookEndpoints.list,
    ...writing,
    run: webhookOperations.listWebhooks,
    show: (all) => reply({ webhooks: all.map(webhookView) }),
  }),
  operationRoute({
    id: 'plinth.webhooks.delete',
    ...webhookEndpoints.remove,
    ...writing,
    run: webhookOperations.deleteWebhook,
    with: ({ params: { id } }) => [id],
  }),
]
