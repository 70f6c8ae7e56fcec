import { reply } from '../../http/index.ts'
import { NewWebhookReply, WebhookInput, WebhooksReply, webhookView } from '../../webhooks/model.ts'
import { webhookOperations } from '../operations/webhooks.ts'
import { operationRoute, writing } from './context.ts'

const path = '/plinth/v1/webhooks'

/** The webhooks, for administrators. */
export const webhookRoutes = [
  operationRoute({
    id: 'plinth.webhooks.create',
    method: 'POST',
    path,
    summary: 'Create a webhook, as an administrator',
    description:
      'Messages are posted with a signature as Standard Webhooks 1.0 says; the answer holds the secret, this once. Without `events` it gets all that are sent, with `owner` only those of one owner.',
    ...writing,
    body: WebhookInput,
    reply: NewWebhookReply,
    run: webhookOperations.createWebhook,
    with: ({ body }) => [body],
    show: (made) =>
      reply({ ...webhookView(made), secret: made.secret }, { headers: { 'cache-control': 'no-store' } }),
  }),
  operationRoute({
    id: 'plinth.webhooks.list',
    method: 'GET',
    path,
    summary:
      'List the webhooks without their secrets, and the outcome of the last message, as an administrator',
    ...writing,
    reply: WebhooksReply,
    run: webhookOperations.listWebhooks,
    show: (all) => reply({ webhooks: all.map(webhookView) }),
  }),
  operationRoute({
    id: 'plinth.webhooks.delete',
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Delete a webhook, as an administrator',
    ...writing,
    run: webhookOperations.deleteWebhook,
    with: ({ params: { id } }) => [id],
  }),
]
