import { type Answer, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import {
  type ListedWebhook,
  type NewWebhook,
  newWebhook,
  type Webhook,
  webhooks,
  withoutSecret,
} from '../../webhooks/model.ts'
import type { RegistryEvent } from '../modules/events.ts'
import { newHook, webhookId } from './arguments.ts'
import type { RegistryParts } from './parts.ts'

/** The types of the events that webhooks get. */
const webhookEvents = [
  'version.published',
  'version.deprecated',
] as const satisfies readonly RegistryEvent['type'][]

const unknownWebhook = refuse('webhook_not_found', 'there is no such webhook')

/** The operations on webhooks. */
export const webhookOperations = {
  /** Creates a webhook; returns it with the secret that signs its messages, this once. */
  createWebhook: operation({
    takes: [newHook],
    refuses: ['invalid_webhook', 'webhooks_not_sent'],
    run: (parts: RegistryParts, input: NewWebhook) =>
      parts.commit<Webhook, 'invalid_webhook' | 'webhooks_not_sent'>((tx, env) => {
        const { crypto, webhookSender: sender } = parts
        const made = newWebhook(input, webhookEvents, {
          now: tx.now,
          sender,
          id: env.newId('webhook'),
          at: env.now,
          crypto,
        })
        if (!made.ok) return made
        const { webhook } = made
        tx.put(webhooks, webhook)
        const event = {
          type: 'webhook.created',
          webhook: webhook.id,
          to: new URL(webhook.url).origin,
        } as const
        return { ok: true, value: webhook, events: [event] }
      }),
  }),
  /** Lists the webhooks, with the outcome of the last attempt. */
  listWebhooks: operation({
    takes: [],
    refuses: [],
    run: async (parts: RegistryParts): Promise<Answer<readonly ListedWebhook[], never>> => {
      const now = (await parts.present()).now
      return { ok: true, value: webhooks.list(now).map(({ value }) => withoutSecret(value)) }
    },
  }),
  /** Deletes a webhook; its messages are not sent any more. */
  deleteWebhook: operation({
    takes: [webhookId],
    refuses: ['webhook_not_found'],
    run: (parts: RegistryParts, id: string) =>
      parts.commit<undefined, 'webhook_not_found'>((tx) => {
        const webhook = tx.get(webhooks, id)?.value
        if (!webhook) return unknownWebhook
        tx.delete(webhooks, id)
        const event = { type: 'webhook.deleted', webhook: id, to: new URL(webhook.url).origin } as const
        return { ok: true, value: undefined, events: [event] }
      }),
  }),
}
