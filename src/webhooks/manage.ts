import type { CryptoPort } from '../crypto/index.ts'
import { type Env, type Refused, refuse } from '../kernel/index.ts'
import type { Snapshot, Tx } from '../store/index.ts'
import {
  type ListedWebhook,
  type NewWebhook,
  newWebhook,
  type Webhook,
  type WebhookSender,
  webhooks,
} from './model.ts'

/** A change of the webhooks: the value, and its event for the audit trail. */
interface Changed<Type extends string, Value> {
  readonly ok: true
  readonly value: Value
  readonly events: readonly [{ readonly type: Type; readonly webhook: string; readonly to: string }]
}

const changed = <Type extends string, Value>(
  type: Type,
  { id, url }: Webhook,
  value: Value,
): Changed<Type, Value> => ({ ok: true, value, events: [{ type, webhook: id, to: new URL(url).origin }] })

/**
 * Creates a webhook in a commit.
 *
 * @param known - the types of the events that webhooks of the service get
 */
export function createWebhookIn(
  tx: Tx<Webhook>,
  env: Env,
  input: NewWebhook,
  known: readonly string[],
  sending: { readonly sender: WebhookSender | undefined; readonly crypto: Pick<CryptoPort, 'randomBytes'> },
): Changed<'webhook.created', Webhook> | Refused<'invalid_webhook' | 'webhooks_not_sent'> {
  const { sender, crypto } = sending
  const made = newWebhook(input, known, {
    now: tx.now,
    sender,
    id: env.newId('webhook'),
    at: env.now,
    crypto,
  })
  if (!made.ok) return made
  tx.put(webhooks, made.webhook)
  return changed('webhook.created', made.webhook, made.webhook)
}

/** The webhooks without their secrets. */
export const listedWebhooks = (now: Snapshot): readonly ListedWebhook[] =>
  webhooks.list(now).map(({ value: { secret: _, ...shown } }) => shown)

const unknownWebhook = refuse('webhook_not_found', 'there is no such webhook')

/** Deletes a webhook in a commit. */
export function deleteWebhookIn(
  tx: Tx<Webhook>,
  id: string,
): Changed<'webhook.deleted', undefined> | Refused<'webhook_not_found'> {
  const webhook = tx.get(webhooks, id)?.value
  if (!webhook) return unknownWebhook
  tx.delete(webhooks, id)
  return changed('webhook.deleted', webhook, undefined)
}
