import type { Answer } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { createWebhookIn, deleteWebhookIn, listedWebhooks } from '../../webhooks/manage.ts'
import type { ListedWebhook, NewWebhook, Webhook } from '../../webhooks/model.ts'
import type { RegistryEvent } from '../modules/events.ts'
import { newHook, webhookId } from './arguments.ts'
import type { RegistryParts } from './parts.ts'

/** The types of the events that webhooks get. */
const webhookEvents = [
  'version.published',
  'version.deprecated',
] as const satisfies readonly RegistryEvent['type'][]

/** The operations on webhooks. */
export const webhookOperations = {
  /**
   * Creates a webhook; returns it with the secret that signs its messages, this once.
   *
   * @example await registry.createWebhook({ url: 'https://example.com/hook' })
   */
  createWebhook: operation({
    takes: [newHook],
    refuses: ['invalid_webhook', 'webhooks_not_sent'],
    run: (parts: RegistryParts, input: NewWebhook) =>
      parts.commit<Webhook, 'invalid_webhook' | 'webhooks_not_sent'>((tx, env) => {
        const { crypto, webhookSender: sender } = parts
        return createWebhookIn(tx, env, input, webhookEvents, { sender, crypto })
      }),
  }),
  /**
   * Lists the webhooks, with the outcome of the last attempt.
   *
   * @example await registry.listWebhooks()
   */
  listWebhooks: operation({
    takes: [],
    refuses: [],
    run: async (parts: RegistryParts): Promise<Answer<readonly ListedWebhook[], never>> => {
      const now = (await parts.present()).now
      return { ok: true, value: listedWebhooks(now) }
    },
  }),
  /**
   * Deletes a webhook; its messages are not sent any more.
   *
   * @example await registry.deleteWebhook(webhookId)
   */
  deleteWebhook: operation({
    takes: [webhookId],
    refuses: ['webhook_not_found'],
    run: (parts: RegistryParts, id: string) =>
      parts.commit<undefined, 'webhook_not_found'>((tx) => deleteWebhookIn(tx, id)),
  }),
}
