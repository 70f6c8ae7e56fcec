import { webhookEndpoints } from '../../webhooks/routes.ts'
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
  }),
  operationRoute({
    id: 'plinth.webhooks.list',
    ...webhookEndpoints.list,
    ...writing,
    run: webhookOperations.listWebhooks,
  }),
  operationRoute({
    id: 'plinth.webhooks.delete',
    ...webhookEndpoints.remove,
    ...writing,
    run: webhookOperations.deleteWebhook,
    with: ({ params: { id } }) => [id],
  }),
]
