import type { Answer } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { createWebhookIn, deleteWebhookIn, listedWebhooks } from '../../webhooks/manage.ts'
import type { ListedWebhook, NewWebhook, Webhook } from '../../webhooks/model.ts'
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

/** The operations of administrators on webhooks. */
export const webhookOperations = {
  /**
   * Creates a webhook; returns it with the secret that signs its messages, this once.
   *
   * @example await catalog.createWebhook({ url: 'https://example.com/hook' })
   */
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
          return createWebhookIn(tx, env, input, webhookEvents, { sender, crypto })
        },
      ),
  }),
  /**
   * Lists the webhooks, with the outcome of the last attempt.
   *
   * @example await catalog.listWebhooks()
   */
  listWebhooks: operation({
    takes: [],
    refuses: ['unauthenticated', 'forbidden'],
    run: async (core: Core): Promise<Answer<readonly ListedWebhook[], 'unauthenticated' | 'forbidden'>> => {
      const problem = administratorProblem(core.caller, 'manage webhooks')
      if (problem) return problem
      const now = await snapshot(core)
      return { ok: true, value: listedWebhooks(now) }
    },
  }),
  /**
   * Deletes a webhook; its messages are not sent any more.
   *
   * @example await catalog.deleteWebhook(webhookId)
   */
  deleteWebhook: operation({
    takes: [webhookId],
    refuses: ['unauthenticated', 'forbidden', 'contended', 'webhook_not_found'],
    run: (core: Core, id: string) =>
      change<undefined, 'unauthenticated' | 'forbidden' | 'webhook_not_found'>(core, (tx) => {
        const problem = administratorProblem(core.caller, 'manage webhooks')
        if (problem) return problem
        return deleteWebhookIn(tx, id)
      }),
  }),
}
