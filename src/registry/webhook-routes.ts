import { reply } from '../http/index.ts'
import { NewWebhookReply, WebhookInput, WebhooksReply, webhookView } from '../webhooks/model.ts'
import { access, operationRoute } from './define-route.ts'
import { webhookOperations } from './operations/webhooks.ts'
import { checkAdministrator } from './token-routes.ts'

const path = '/plinth/v1/webhooks'

/** The webhooks, for administrators. */
export const webhookRoutes = [
  operationRoute({
    id: 'registry.webhooks.create',
    method: 'POST',
    path,
    summary: 'Create a webhook, as an administrator',
    description:
      'Messages are posted with a signature as Standard Webhooks 1.0 says; the answer holds the secret, this once. Without `events` it gets all that are sent, with `owner` only those of one owner.',
    access: access.administer,
    refusals: ['administrator_required'],
    before: checkAdministrator,
    body: WebhookInput,
    reply: NewWebhookReply,
    run: webhookOperations.createWebhook,
    with: ({ body }) => [body],
    show: (made) =>
      reply({ ...webhookView(made), secret: made.secret }, { headers: { 'cache-control': 'no-store' } }),
  }),
  operationRoute({
    id: 'registry.webhooks.list',
    method: 'GET',
    path,
    summary:
      'List the webhooks without their secrets, and the outcome of the last message, as an administrator',
    access: access.administer,
    refusals: ['administrator_required'],
    before: checkAdministrator,
    reply: WebhooksReply,
    run: webhookOperations.listWebhooks,
    show: (all) => reply({ webhooks: all.map(webhookView) }),
  }),
  operationRoute({
    id: 'registry.webhooks.delete',
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Delete a webhook, as an administrator',
    access: access.administer,
    refusals: ['administrator_required'],
    before: checkAdministrator,
    run: webhookOperations.deleteWebhook,
    with: ({ params: { id } }) => [id],
  }),
]
