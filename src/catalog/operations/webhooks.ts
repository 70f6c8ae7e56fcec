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
import type { CatalogEvent } from '../events.ts'
import { type Core, change, snapshot } from '../service/core.ts'
import { administratorProblem } from '../service/guard.ts'
import { newHook, webhookId } from './arguments.ts'

/** The types of the events that webhooks get. */
const webhookEvents = [
  'version.released',
  'version.revoked',
  'image.uploaded',
] as const satisfies readonly CatalogEvent['type'][]

const unknownWebhook = refuse('webhook_not_found', 'there is no such webhook')

/** The operations of administrators on webhooks. */
export const webhookOperations = {
  /** Creates a webhook; returns it with the secret that signs its messages, this once. */
  createWebhook: operation({
    takes: [newHook],
    refuses: ['unauthenticated', 'forbidden', 'contended', 'invalid_webhook', 'webhooks_not_sent'],
    run: (core: Core, input: NewWebhook) =>
      change<Webhook, 'unauthenticated' | 'forbidden' | 'invalid_webhook' | 'webhooks_not_sent'>(
        core,
        (tx, env) => {
          const problem = administratorProblem(core.caller, 'manage webhooks')
          if (problem) return problem
          const { crypto, webhookSender: sender } = core
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
        },
      ),
  }),
  /** Lists the webhooks, with the outcome of the last attempt. */
  listWebhooks: operation({
    takes: [],
    refuses: ['unauthenticated', 'forbidden'],
    run: async (core: Core): Promise<Answer<readonly ListedWebhook[], 'unauthenticated' | 'forbidden'>> => {
      const problem = administratorProblem(core.caller, 'manage webhooks')
      if (problem) return problem
      const now = await snapshot(core)
      return { ok: true, value: webhooks.list(now).map(({ value }) => withoutSecret(value)) }
    },
  }),
  /** Deletes a webhook; its messages are not sent any more. */
  deleteWebhook: operation({
    takes: [webhookId],
    refuses: ['unauthenticated', 'forbidden', 'contended', 'webhook_not_found'],
    run: (core: Core, id: string) =>
      change<undefined, 'unauthenticated' | 'forbidden' | 'webhook_not_found'>(core, (tx) => {
        const problem = administratorProblem(core.caller, 'manage webhooks')
        if (problem) return problem
        const webhook = tx.get(webhooks, id)?.value
        if (!webhook) return unknownWebhook
        tx.delete(webhooks, id)
        const event = { type: 'webhook.deleted', webhook: id, to: new URL(webhook.url).origin } as const
        return { ok: true, value: undefined, events: [event] }
      }),
  }),
}
