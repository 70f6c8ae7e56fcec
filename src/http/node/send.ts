import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Answered } from '../exchange.ts'

/** The size of one write: the progress of a slow client is visible only in whole pieces. */
const pieceBytes = 256 * 1024

const compressed = promisify(gzip)

/** Writes an answer: in one write if the body is known, with back-pressure if it is long or a stream. */
export async function send(
  answered: Answered,
  response: ServerResponse,
  message: IncomingMessage,
): Promise<void> {
  const { status, body } = answered
  const headers = mergedHeaders(answered.headers, response)
  // An unread body would keep the connection busy: announce that it is closed.
  if (!message.complete && message.headers['transfer-encoding'] !== undefined) headers['connection'] = 'close'
  if (body instanceof ReadableStream) return sendStream(answered, headers, body, response)
  if (body === undefined) {
    if (status !== 204 && status !== 304 && message.method !== 'HEAD') headers['content-length'] ??= '0'
    answered.onSent?.(0)
    response.writeHead(status, headers).end()
    return
  }
  const bytes = answered.gzip && typeof body === 'string' ? await compressed(body) : body
  const length = typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.byteLength
  headers['content-length'] ??= String(length)
  // Fewer bytes than announced are a failure.
  if (Number(headers['content-length']) !== length) response.strictContentLength = true
  response.writeHead(status, headers)
  if (length <= pieceBytes) {
    answered.onSent?.(length)
    return void response.end(bytes)
  }
  await write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, response)
  answered.onSent?.(length)
  response.end()
}

/** Sends a stream as it arrives; a single chunk is sent with its length, together with its head. */
async function sendStream(
  { status, onSent }: Answered,
  headers: OutgoingHeaders,
  body: ReadableStream<Uint8Array>,
  response: ServerResponse,
): Promise<void> {
  response.strictContentLength = true
  const reader = body.getReader()
  response.on('close', () => void reader.cancel().catch(() => {}))
  // Read ahead: an error surfaces when the chunk is awaited, or never if the client disconnects first.
  const read = () => {
    const chunk = reader.read()
    chunk.catch(() => {})
    return chunk
  }
  let sent = 0
  let last: Uint8Array | undefined
  try {
    const first = await read()
    // Only a body that ends immediately is sent with its length; a slow stream must not wait for its second chunk.
    let next = read()
    const whole = first.done || (await Promise.race([next.then(({ done }) => done), soon()]))
    const firstBytes = first.value?.byteLength ?? 0
    if (whole) headers['content-length'] ??= String(firstBytes)
    response.writeHead(status, headers)
    // An empty first chunk asks for the head: the reader learns that the stream has begun.
    if (!whole && firstBytes === 0) response.flushHeaders()
    if (whole && firstBytes <= pieceBytes) {
      last = first.value
      sent = firstBytes
    } else
      for (let chunk = first.value; chunk !== undefined; next = read()) {
        await write(chunk, response)
        if (response.destroyed) return
        sent += chunk.byteLength
        chunk = (await next).value
      }
  } finally {
    onSent?.(sent)
  }
  response.end(last)
}

type OutgoingHeaders = Record<string, string | string[]>

/**
 * The headers of an answer, which replace those of the same name that a middleware set before. `Vary` and cookies are
 * combined.
 */
function mergedHeaders(ours: Answered['headers'], response: ServerResponse): OutgoingHeaders {
  const headers: OutgoingHeaders = {}
  for (const name in ours) {
    const value = ours[name] ?? ''
    headers[name] = typeof value === 'string' ? value : [...value]
  }
  for (const name of ['set-cookie', 'vary']) {
    const earlier = response.getHeader(name)
    const own = headers[name]
    if (earlier === undefined || own === undefined) continue
    const all = [earlier, own].flat().map(String)
    headers[name] = name === 'vary' ? all.join(', ') : all
  }
  return headers
}

async function write(chunk: Uint8Array, response: ServerResponse): Promise<void> {
  for (let at = 0; at < chunk.byteLength && !response.destroyed; at += pieceBytes)
    if (!response.write(chunk.subarray(at, at + pieceBytes))) await drained(response)
}

const soon = (): Promise<false> => new Promise((resolve) => setImmediate(() => resolve(false)))

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
