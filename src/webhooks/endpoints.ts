import { NewWebhookReply, WebhookInput, WebhooksReply } from './model.ts'

const path = '/plinth/v1/webhooks'

/** What the routes of webhooks have in common in each service: all but who may call them, and what runs. */
export const webhookEndpoints = {
  create: {
    method: 'POST',
    path,
    summary: 'Create a webhook, as an administrator',
    description:
      'Messages are posted with a signature as Standard Webhooks 1.0 says; the answer holds the secret, this once. Without `events` it gets all that are sent, with `owner` only those of one owner.',
    body: WebhookInput,
    reply: NewWebhookReply,
  },
  list: {
    method: 'GET',
    path,
    summary:
      'List the webhooks without their secrets, and the outcome of the last message, as an administrator',
    reply: WebhooksReply,
  },
  remove: {
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Delete a webhook, as an administrator',
  },
} as const
