import { reply } from '../http/index.ts'
import {
  type ListedWebhook,
  NewWebhookReply,
  type Webhook,
  WebhookInput,
  WebhooksReply,
  webhookView,
} from './model.ts'

const path = '/plinth/v1/webhooks'

/** What the routes of webhooks have in common in each service: all but who may call them, and the operation. */
export const webhookEndpoints = {
  create: {
    method: 'POST',
    path,
    summary: 'Create a webhook, as an administrator',
    description:
      'Messages are posted with a signature as Standard Webhooks 1.0 says; the answer holds the secret, this once. Without `events` it gets all that are sent, with `owner` only those of one owner.',
    body: WebhookInput,
    reply: NewWebhookReply,
    show: (made: Webhook) =>
      reply({ ...webhookView(made), secret: made.secret }, { headers: { 'cache-control': 'no-store' } }),
  },
  list: {
    method: 'GET',
    path,
    summary:
      'List the webhooks without their secrets, and the outcome of the last message, as an administrator',
    reply: WebhooksReply,
    show: (all: readonly ListedWebhook[]) => reply({ webhooks: all.map(webhookView) }),
  },
  remove: {
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Delete a webhook, as an administrator',
  },
} as const
