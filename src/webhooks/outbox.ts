import type { CryptoPort } from '../crypto/index.ts'
import type { Reporter } from '../kernel/event-emitter.ts'
import type { Env, Instant, Timers } from '../kernel/index.ts'
import { isStoreError, type Snapshot, type Tx } from '../store/index.ts'
import {
  signedHeaders,
  type Webhook,
  type WebhookMessage,
  type WebhookSender,
  webhookMessages,
  webhooks,
} from './model.ts'

/** A change that webhooks may be about. */
interface SubscribedChange {
  readonly type: string
  readonly by: string | null
  /** `owner/…` */
  readonly subject: string | null
  readonly detail: Readonly<Record<string, string>>
}

/** The messages of webhooks of one service. */
export interface Outbox {
  /** Records a message for each webhook of a change, in the commit of the change; returns whether there are any. */
  readonly record: (tx: Tx<Webhook | WebhookMessage>, change: SubscribedChange, env: Env) => boolean
  /** Sends what is due. Nothing waits for it. */
  readonly wake: () => void
  /** Stops sending; what is not delivered is sent by the next process. */
  readonly close: () => void
}

/** How long after each failed attempt a message is sent again; 20 hours in all. */
const pauses = [10, 60, 300, 1800, 7200, 21_600, 43_200].map((seconds) => seconds * 1000)
/** Messages of one webhook that are sent at the same time. */
const sentAtOnce = 4
/** A sender that never settles must not hold up the messages of others. */
const longestPostMs = 60_000
/** How long an attempt holds a message: the longest post, with some time for its commits and for clocks that differ. */
const takenForMs = longestPostMs + 30_000
/** Receivers that are down must not fill the memory. */
const mostMessages = 5000

/** Adds a message for each webhook of a change; returns whether there are any. */
function addMessages(
  tx: Tx<Webhook | WebhookMessage>,
  { type, by, subject, detail }: SubscribedChange,
  { now, newId }: Env,
  fold: (owner: string) => string,
): boolean {
  if (subject === null) return false
  const owner = fold(subject.split('/')[0] ?? '')
  const meant = webhooks
    .list(tx.now)
    .filter(
      ({ value }) => value.events.includes(type) && (value.owner === null || fold(value.owner) === owner),
    )
  if (meant.length === 0) return false
  if (tx.now.scan({ prefix: webhookMessages.prefix, limit: mostMessages }).length >= mostMessages)
    return false
  const body = JSON.stringify({
    type,
    timestamp: new Date(now).toISOString(),
    data: { subject, by, ...detail },
  })
  for (const { value } of meant)
    tx.put(webhookMessages, { id: newId('message'), webhook: value.id, body, due: now, attempts: 0 })
  return true
}

/** What the outbox of a service stands on. */
interface OutboxHost {
  readonly commit: (
    decide: (tx: Tx<Webhook | WebhookMessage>) => {
      readonly ok: true
      readonly value: undefined
      readonly events: readonly never[]
    },
  ) => Promise<unknown>
  readonly fresh: () => Promise<Snapshot>
  readonly env: () => Env
  readonly timers: Timers
  readonly crypto: Pick<CryptoPort, 'hmac'>
  readonly sender: WebhookSender | undefined
  /** The same for every spelling of an owner. */
  readonly fold: (owner: string) => string
  readonly report: Reporter
}

/** Why a message did not arrive, `null` if it did. However a sender fails, it is a failure of this message alone. */
async function sendingProblem(timers: Timers, send: () => string | Promise<number>): Promise<string | null> {
  let cancel = () => {}
  const late = new Promise<string>((resolve) => {
    cancel = timers.after(longestPostMs, () => resolve(`no answer within ${longestPostMs / 1000} s`))
  })
  try {
    const answer = await Promise.race([send(), late])
    if (typeof answer === 'string') return answer
    return answer >= 200 && answer < 300 ? null : `answered ${answer}`
  } catch (error) {
    return error instanceof Error ? error.message : 'no answer'
  } finally {
    cancel()
  }
}

/** Makes an attempt at a message. */
function deliveries({
  commit,
  env,
  crypto,
  timers,
}: Pick<OutboxHost, 'commit' | 'env' | 'crypto' | 'timers'>) {
  const write = (work: (tx: Tx<Webhook | WebhookMessage>) => void) =>
    commit((tx) => {
      work(tx)
      return { ok: true, value: undefined, events: [] }
    })

  /** Takes a message for one attempt: if it does not end in time, another server or the next process makes the next. */
  async function taken(id: string, at: Instant) {
    let found: { readonly message: WebhookMessage; readonly webhook: Webhook } | undefined
    await write((tx) => {
      found = undefined
      const message = tx.get(webhookMessages, id)?.value
      const webhook = message && tx.get(webhooks, message.webhook)?.value
      if (!message || message.due > at) return
      if (!webhook) return void tx.delete(webhookMessages, id)
      const taking = { attempts: message.attempts + 1, due: at + takenForMs }
      found = { message: Object.assign({}, message, taking), webhook }
      tx.put(webhookMessages, found.message)
    })
    return found
  }

  return async function deliver(id: string, by: WebhookSender): Promise<void> {
    const attempt = await taken(id, env().now)
    if (!attempt) return
    const { message, webhook } = attempt
    const url = new URL(webhook.url)
    const { now: at } = env()
    const problem = await sendingProblem(timers, () => {
      const refused = by.problem(url)
      return refused ?? by.post(url, signedHeaders(webhook, message, at, crypto), message.body)
    })
    const pause = problem === null ? undefined : pauses[message.attempts - 1]
    const { now: ended } = env()
    await write((tx) => {
      const known = tx.get(webhooks, webhook.id)?.value
      if (known) tx.put(webhooks, Object.assign({}, known, { last: { at, problem } }))
      if (pause === undefined) return void tx.delete(webhookMessages, id)
      // A later attempt of another server decides for itself.
      if (tx.get(webhookMessages, id)?.value.attempts === message.attempts)
        tx.put(webhookMessages, Object.assign({}, message, { due: ended + pause }))
    })
  }
}

/** Creates the outbox of a service. */
export function outbox(host: OutboxHost): Outbox {
  const { fresh, env, timers, sender, fold, report } = host
  const deliver = deliveries(host)
  /** The ids of messages that are being sent, and of those that are due, by webhook: a slow one delays no other. */
  const sending = new Set<string>()
  const lines = new Map<string, { open: number; due: string[] }>()
  let looking = false
  let isWoken = false
  let isClosed = false
  let cancel = () => {}

  const failed = (error: unknown): void => {
    if (!isStoreError(error)) report(error)
    // Once the store is there again.
    cancel()
    if (!isClosed) cancel = timers.after(60_000, wake)
  }

  /** Sends what is due to a webhook, one message after another. */
  async function send(webhook: string, by: WebhookSender): Promise<void> {
    const line = lines.get(webhook)
    if (!line) return
    line.open += 1
    try {
      for (let id = line.due.shift(); id !== undefined && !isClosed; id = line.due.shift()) {
        sending.add(id)
        await deliver(id, by).finally(() => sending.delete(id))
      }
      wake()
    } catch (error) {
      failed(error)
    } finally {
      line.open -= 1
    }
  }

  /** Starts sending what is due, and waits for what will be. */
  async function look(by: WebhookSender): Promise<void> {
    isWoken = false
    const at = env().now
    const waiting = webhookMessages.list(await fresh())
    for (const line of lines.values()) line.due = []
    let next = Number.POSITIVE_INFINITY
    for (const {
      value: { id, webhook, due },
    } of waiting) {
      if (sending.has(id)) continue
      if (due > at) next = Math.min(next, due)
      else {
        const line = lines.get(webhook) ?? { open: 0, due: [] }
        lines.set(webhook, line)
        line.due.push(id)
      }
    }
    for (const [webhook, line] of lines) {
      if (line.open === 0 && line.due.length === 0) lines.delete(webhook)
      for (let free = Math.min(sentAtOnce - line.open, line.due.length); free > 0; free -= 1)
        void send(webhook, by)
    }
    if (!isClosed && Number.isFinite(next)) cancel = timers.after(Math.max(1, next - at), wake)
  }

  const wake = (): void => {
    isWoken = true
    if (!sender || looking || isClosed) return
    cancel()
    looking = true
    look(sender)
      .catch(failed)
      .finally(() => {
        looking = false
        // A change that was committed since the last look at what is due.
        if (isWoken) wake()
      })
  }

  return {
    record: (tx, change, env) => sender !== undefined && addMessages(tx, change, env, fold),
    wake,
    close: () => {
      isClosed = true
      cancel()
    },
  }
}
