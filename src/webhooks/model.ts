import * as z from 'zod'
import { fromBase64, toBase64 } from '../crypto/encoding.ts'
import type { CryptoPort } from '../crypto/index.ts'
import { type Instant, type Refused, refuse } from '../kernel/index.ts'
import { collection, type Snapshot } from '../store/index.ts'

/** What a webhook is for. */
const fields = {
  url: z.string(),
  events: z.array(z.string()).optional(),
  owner: z.string().optional(),
}
export const WebhookInput = z.strictObject(fields)

/**
 * A webhook to create.
 */
export interface NewWebhook {
  /** Where messages are posted: an `http` or `https` URL. */
  readonly url: string
  /** The types of the events; all that are sent by default. */
  readonly events?: readonly string[] | undefined
  /** Only events of this owner or namespace; of all by default. */
  readonly owner?: string | undefined
}

/** A webhook as it is stored: the secret signs each message. */
export interface Webhook {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly owner: string | null
  readonly secret: string
  readonly createdAt: Instant
  /** The outcome of the last attempt: a problem, or none. */
  readonly last?: { readonly at: Instant; readonly problem: string | null } | undefined
}

/**
 * A webhook as lists show it: without its secret.
 */
export interface ListedWebhook extends Omit<Webhook, 'secret'> {}

export const webhooks = collection<Webhook>({ name: 'webhook', key: ({ id }) => [id], scopes: () => [] })

/** A message that is yet to be delivered. */
export interface WebhookMessage {
  readonly id: string
  readonly webhook: string
  /** What is posted. */
  readonly body: string
  /** When it is sent, or sent again if the attempt that is in progress does not end. */
  readonly due: Instant
  readonly attempts: number
}

export const webhookMessages = collection<WebhookMessage>({
  name: 'webhook-message',
  key: ({ id }) => [id],
  scopes: () => [],
})

/**
 * How webhooks are sent: `webhookSender()` of `plinth/node`.
 */
export interface WebhookSender {
  /** Returns why messages may not be sent to an address, such as a private one. */
  readonly problem: (url: URL) => string | undefined
  /**
   * Posts a message, and returns the status of the answer; rejects if there is none. A call that takes longer than 60 s
   * counts as one without an answer. It follows no redirect.
   */
  readonly post: (url: URL, headers: Readonly<Record<string, string>>, body: string) => Promise<number>
}

/** Each of them gets a message in the commit of a change. */
const mostWebhooks = 20
const prefix = 'whsec_'

/** A webhook, or why it cannot be created. */
export function newWebhook(
  input: NewWebhook,
  known: readonly string[],
  {
    now,
    sender,
    id,
    at,
    crypto,
  }: {
    readonly now: Snapshot
    readonly sender: WebhookSender | undefined
    readonly id: string
    readonly at: Instant
    readonly crypto: Pick<CryptoPort, 'randomBytes'>
  },
): { readonly ok: true; readonly webhook: Webhook } | Refused<'invalid_webhook' | 'webhooks_not_sent'> {
  if (!sender)
    return refuse(
      'webhooks_not_sent',
      'this server sends no webhooks: pass webhooks, webhookSender() of plinth/node',
    )
  const url = URL.canParse(input.url) ? new URL(input.url) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || input.url.length > 2048)
    return refuse('invalid_webhook', 'url must be an http or https URL without a user name')
  const problem = sender.problem(url)
  if (problem !== undefined) return refuse('invalid_webhook', `url: ${problem}`)
  const { events = known, owner = null } = input
  const unknown = events.find((event) => !known.includes(event))
  if (unknown !== undefined || events.length === 0)
    return refuse(
      'invalid_webhook',
      `events: ${JSON.stringify(unknown ?? '')} is not one of ${known.join(', ')}`,
    )
  if (webhooks.list(now).length >= mostWebhooks)
    return refuse(
      'invalid_webhook',
      `there are ${mostWebhooks} webhooks, which is the maximum: delete one first`,
    )
  const secret = prefix + toBase64(crypto.randomBytes(24))
  return { ok: true, webhook: { id, url: url.href, events, owner, secret, createdAt: at } }
}

/** The headers of a message, signed as Standard Webhooks 1.0 says. */
export function signedHeaders(
  { secret }: Webhook,
  { id, body }: WebhookMessage,
  at: Instant,
  crypto: Pick<CryptoPort, 'hmac'>,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000))
  const key = fromBase64(secret.slice(prefix.length)) ?? new Uint8Array()
  return {
    'content-type': 'application/json',
    'user-agent': 'Plinth-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${toBase64(crypto.hmac('sha256', key, `${id}.${timestamp}.${body}`))}`,
  }
}

const time = z.string()
/** A webhook on the wire. */
export const WebhookReply = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    owner: z.string().nullable(),
    created_at: time,
    last: z.object({ at: time, problem: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'Webhook' })
export const NewWebhookReply = WebhookReply.extend({ secret: z.string() }).meta({ id: 'NewWebhook' })
export const WebhooksReply = z.object({ webhooks: z.array(WebhookReply) })

const iso = (at: Instant) => new Date(at).toISOString()
export const webhookView = ({
  id,
  url,
  events,
  owner,
  createdAt,
  last,
}: ListedWebhook): z.infer<typeof WebhookReply> => ({
  id,
  url,
  events: [...events],
  owner,
  created_at: iso(createdAt),
  last: last ? { at: iso(last.at), problem: last.problem } : null,
})
