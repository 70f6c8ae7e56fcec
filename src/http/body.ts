import { type Refused, refuse } from '../kernel/index.ts'
import { nextMacrotask } from '../kernel/next-macrotask.ts'
import type { Exchange } from './exchange.ts'
import { holdsMoreThan, type JsonLimits, jsonLimits } from './json-limits.ts'
import type { ServiceSpec } from './service-spec.ts'

/** Why a body could not be read. */
export type BodyRefusal = 'body_too_large' | 'body_not_json' | 'too_many_values' | 'too_busy'

/** The bytes of request bodies that a service holds in memory, from their first byte until they are answered. */
export interface BufferedBytes {
  held: number
  readonly most: number
}

/** Two of the largest JSON bodies; a process with a heap of 256 MiB has space for them and their parsed values. */
export const defaultMaxBufferedBytes = 64 * 1024 * 1024

type BodyRules = Pick<ServiceSpec<never, never>, 'forms' | 'jsonLimits'>

/** A parsed body. */
export interface ReceivedBody {
  readonly text: string
  readonly json: unknown
  /** Its share of the service's budget until the request is answered. */
  readonly reserved: number
}

const tooLarge = refuse('body_too_large', 'the request body is larger than this service accepts')

const tooBusy = refuse('too_busy', 'too many large requests are being read: try again', {
  headers: { 'retry-after': '1' },
})

/** No body, or one that the route reads itself. */
export const emptyBody: ReceivedBody = { text: '', json: undefined, reserved: 0 }

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON body of any `Content-Type`, up to `limit` bytes and within the service's budget.
 *
 * @remarks
 * Bytes are counted as they arrive, so that a body without a length cannot fill the memory. With `forms`, a form body
 * is parsed as an object: a repeated name becomes a list. A body that is refused or breaks off uses nothing of the budget.
 */
export async function readJson(
  exchange: Exchange,
  limit: number,
  budget: BufferedBytes,
  { forms = false, jsonLimits: limits = jsonLimits }: BodyRules,
): Promise<ReceivedBody | Refused<BodyRefusal>> {
  const { body } = exchange
  if (body === undefined) return emptyBody
  const length = body.length ?? 0
  if (length > limit) return tooLarge
  if (budget.held + length > budget.most) return tooBusy
  let reserved = 0
  let problem: Refused<BodyRefusal> = tooLarge
  let received: ReceivedBody | Refused<BodyRefusal> | undefined
  try {
    const bytes = await body.bytes((soFar) => {
      if (soFar > limit) return false
      const held = budget.held + soFar - reserved
      if (held > budget.most) {
        problem = tooBusy
        return false
      }
      budget.held = held
      reserved = soFar
      return true
    })
    received = bytes === undefined ? problem : await parseBody(exchange, bytes, reserved, forms, limits)
    return received
  } finally {
    if (received === undefined || 'refusal' in received) budget.held -= reserved
  }
}

/** Each step of reading a longer body takes milliseconds, and is a turn of the event loop of its own. */
const longBytes = 256 * 1024

async function parseBody(
  exchange: Exchange,
  bytes: Uint8Array,
  reserved: number,
  forms: boolean,
  limits: JsonLimits,
): Promise<ReceivedBody | Refused<BodyRefusal>> {
  if (bytes.byteLength === 0) return emptyBody
  const isLong = bytes.byteLength > longBytes
  let text: string
  try {
    if (isLong) await nextMacrotask()
    text = decoder.decode(bytes)
  } catch {
    return refuse('body_not_json', encodingProblem(exchange) ?? 'the body is not valid UTF-8')
  }
  if (holdsMoreThan(text, limits)) return tooMany(limits)
  if (isLong) await nextMacrotask()
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    if (forms && isForm(exchange, text)) return formBody(text, reserved, limits)
    return refuse('body_not_json', `the body is not valid JSON${positionOf(text, String(error))}`)
  }
  if (isLong) await nextMacrotask()
  return { text, json, reserved }
}

/** Compressed bodies are not read: a few kilobytes could fill the memory. */
const encodingProblem = (exchange: Exchange): string | undefined =>
  /^(?:identity)?$/i.test(exchange.header('content-encoding') ?? '')
    ? undefined
    : 'bodies with a Content-Encoding are not supported: send it uncompressed'

const tooMany = ({ all, each }: JsonLimits) =>
  refuse(
    'too_many_values',
    `the request body holds more than ${all} values${each < all ? `, or more than ${each} in one object or list` : ''}`,
  )

/** Some clients label any body as a form: one that begins like JSON is not a form. */
const isForm = (exchange: Exchange, text: string): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(exchange.header('content-type') ?? '') &&
  /^[^{["\s][^=]*=/.test(text)

function formBody(text: string, reserved: number, limits: JsonLimits): ReceivedBody | Refused<BodyRefusal> {
  if (text.split('&', limits.each + 1).length > limits.each) return tooMany(limits)
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const before = values.get(name)
    if (before === undefined) values.set(name, [value])
    else before.push(value)
  }
  const json: Record<string, string | readonly string[]> = Object.create(null)
  for (const [name, all] of values) json[name] = all.length === 1 ? (all[0] ?? '') : all
  return { text: JSON.stringify(json), json, reserved }
}

/** The position of a JSON syntax error, without the host's own message: it may quote the body, secrets included. */
function positionOf(text: string, message: string): string {
  const at = /at position (\d+)/.exec(message)
  const offset = at ? Number(at[1]) : /end of JSON/i.test(message) ? text.length : undefined
  if (offset === undefined) return ''
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  return offset >= text.length ? ': it ends too early' : ` (line ${line}, column ${column})`
}
