import { type Refused, refuse } from '../kernel/index.ts'
import type { ReceivedBody } from './reading.ts'

/** Why a body could not be read. */
export type BodyRefusal = 'body_too_large' | 'body_not_json' | 'too_many_values'

const tooLarge = refuse('body_too_large', 'the request body is larger than this service accepts')

const nothing: ReceivedBody = { text: '', json: undefined }

/**
 * Reads a JSON body, whatever its `Content-Type` says, up to `limit` bytes.
 *
 * @remarks
 * Counts bytes while they come, so that a body without a length cannot fill the memory. With `forms`, a form that says
 * so is read as the object it means: a name that comes more than once as a list.
 */
export async function readJson(
  request: Request,
  limit: number,
  { forms = false }: { readonly forms?: boolean | undefined } = {},
): Promise<ReceivedBody | Refused<BodyRefusal>> {
  if (request.body === null) return nothing
  if (Number(request.headers.get('content-length') ?? 0) > limit) return tooLarge
  const bytes = await readBytes(request.body, limit)
  if (bytes === undefined) return tooLarge
  if (bytes.byteLength === 0) return nothing
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return refuse('body_not_json', 'the body is not valid UTF-8')
  }
  if (holdsMoreThan(text, mostValues)) return tooMany
  try {
    return { text, json: JSON.parse(text) }
  } catch {
    if (isForm(request, text, forms)) return formBody(text)
    return refuse('body_not_json', `the body is not valid JSON${positionOf(text)}`)
  }
}

/** So many values a body may hold: 32 MiB of brackets become gigabytes of objects, and everybody waits for them. */
const mostValues = 250_000

const tooMany = refuse('too_many_values', `the request body holds more than ${mostValues} values`)

const [quote, backslash, comma, brace, bracket] = Array.from('"\\,{[', (mark) => mark.charCodeAt(0))

/** Whether a JSON text has more values than that, by the marks before them that are not within its strings. */
function holdsMoreThan(text: string, limit: number): boolean {
  // A value and its mark are two characters at least.
  if (text.length <= limit) return false
  let values = 1
  let isQuoted = false
  for (let at = 0; at < text.length && values <= limit; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) isQuoted = !isQuoted
    else if (isQuoted) at += code === backslash ? 1 : 0
    else if (code === comma || code === brace || code === bracket) values += 1
  }
  return values > limit
}

/** Some clients call any body a form: what begins as JSON is none. */
const isForm = (request: Request, text: string, forms: boolean): boolean =>
  forms &&
  /^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? '') &&
  /^[^{["\s][^=]*=/.test(text)

function formBody(text: string): ReceivedBody | Refused<BodyRefusal> {
  if (text.split('&', mostValues + 1).length > mostValues) return tooMany
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const before = values.get(name)
    if (before === undefined) values.set(name, [value])
    else before.push(value)
  }
  const json: Record<string, string | readonly string[]> = Object.create(null)
  for (const [name, all] of values) json[name] = all.length === 1 ? (all[0] ?? '') : all
  return { text: JSON.stringify(json), json }
}

/** All bytes of a stream, or `undefined` when there are more than `limit`; the rest is then left unread. */
async function readBytes(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > limit) {
      await reader.cancel().catch(() => {})
      return undefined
    }
    chunks.push(value)
  }
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}

/** Where JSON parsing stopped. The host's own message is not passed on: it may quote the body, secrets and all. */
function positionOf(text: string): string {
  let offset: number | undefined
  try {
    JSON.parse(text)
  } catch (error) {
    const at = /at position (\d+)/.exec(String(error))
    offset = at ? Number(at[1]) : /end of JSON/i.test(String(error)) ? text.length : undefined
  }
  if (offset === undefined) return ''
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  return offset >= text.length ? ': it ends too early' : ` (line ${line}, column ${column})`
}
