import type { IncomingMessage } from 'node:http'
import { Http2ServerRequest } from 'node:http2'
import { isBytes } from '../../kernel/objects.ts'
import type { RequestBody } from '../exchange.ts'

/** How much of an unwanted body is still read, so that the client can read the answer. */
const maxDrain = 64 * 1024 * 1024

/** How many bytes of a streamed body are buffered before the client has to wait. */
const readAhead = 256 * 1024

/** Also of a body that seems to have ended: Node says so of an HTTP/2 stream that the client reset without an error. */
const departed = (): Error => new Error('the client closed the connection before the end of the body')

/** The body of a Node request; `undefined` if it has none. */
export function bodyOf(message: IncomingMessage): RequestBody | undefined {
  if (!hasBody(message)) return undefined
  const declared = message.headers['content-length']
  return {
    length: declared === undefined ? undefined : Number(declared),
    bytes: (admit) => readBytes(message, admit),
    stream: () => streamOf(message),
  }
}

/** All bytes, or `undefined` once `admit` returns false; the rest is then read and discarded, up to a limit. */
function readBytes(
  message: IncomingMessage,
  admit: (soFar: number) => boolean,
): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const stop = () => {
      message.off('data', onData)
      message.off('end', onEnd)
      message.off('error', onFailure)
      message.off('close', onFailure)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength
      if (admit(size)) return void chunks.push(chunk)
      stop()
      drain(message)
      resolve(undefined)
    }
    const onEnd = () => {
      if (message.aborted) return onFailure()
      stop()
      const [only] = chunks
      resolve(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, size))
    }
    const onFailure = () => {
      stop()
      reject(departed())
    }
    message.on('data', onData)
    message.on('end', onEnd)
    message.on('error', onFailure)
    message.on('close', onFailure)
    // A client that has disconnected emits no further event.
    if (message.destroyed) onFailure()
  })
}

/**
 * The body as a web stream with back-pressure.
 *
 * @remarks
 * Cancelling it does not destroy the connection, as `Readable.toWeb` would: a client that is still sending must be able
 * to read the refusal. The rest is read and discarded, up to a limit.
 */
function streamOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  let stop = (): void => {}
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const onData = (chunk: Buffer) => {
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) <= -readAhead) message.pause()
        }
        const onEnd = () => {
          if (message.aborted) return onFailure()
          stop()
          controller.close()
        }
        const onFailure = () => {
          stop()
          controller.error(departed())
        }
        const onClose = () => (message.readableEnded ? undefined : onFailure())
        stop = () => {
          message.off('data', onData)
          message.off('end', onEnd)
          message.off('error', onFailure)
          message.off('close', onClose)
        }
        message.on('data', onData)
        message.on('end', onEnd)
        message.on('error', onFailure)
        message.on('close', onClose)
        message.pause()
        // A client that has disconnected emits no further event.
        if (message.destroyed) onFailure()
      },
      pull: () => void message.resume(),
      cancel: () => {
        stop()
        drain(message)
      },
    },
    // Nothing is read before it is needed; then some is buffered, because pausing at each piece is slower than reading
    // it.
    { highWaterMark: 0, size: ({ byteLength }) => byteLength },
  )
}

/** Whether another reader consumed a part of the body before: waiting for it would never end. */
export const wasRead = (message: IncomingMessage): boolean => message.readableDidRead && hasBody(message)

/**
 * The body that an earlier parser has read and left on the request: its bytes, its text, or the value of its JSON.
 * `lost` if it left something else, such as the fields of a form.
 */
export function takenOver(message: IncomingMessage): RequestBody | 'lost' {
  const rawBody = 'rawBody' in message ? message.rawBody : undefined
  const parsed = 'body' in message ? message.body : undefined
  const bytes = bytesOf(rawBody) ?? bytesOf(isJson(message) ? jsonOf(parsed) : parsed)
  if (bytes === undefined) return 'lost'
  // The parser has decompressed it.
  for (let at = 0; at < message.rawHeaders.length; at += 2)
    if (message.rawHeaders[at]?.toLowerCase() === 'content-encoding') message.rawHeaders[at + 1] = 'identity'
  return {
    length: bytes.byteLength,
    bytes: async (admit) => (admit(bytes.byteLength) ? bytes : undefined),
    stream: () => new Blob([bytes]).stream(),
  }
}

const bytesOf = (value: unknown): Uint8Array<ArrayBuffer> | undefined => {
  if (typeof value === 'string') return Uint8Array.from(Buffer.from(value))
  return isBytes(value) ? Uint8Array.from(value) : undefined
}

const isJson = ({ headers }: IncomingMessage): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? '')

const jsonOf = (value: unknown): unknown =>
  value === undefined || typeof value === 'string' || isBytes(value) ? value : JSON.stringify(value)

/** Whether a body follows the head of a request: according to its headers or, in HTTP/2, the end of the stream. */
export const hasBody = (message: IncomingMessage): boolean => {
  if (message instanceof Http2ServerRequest) return !message.stream.endAfterHeaders
  const { headers } = message
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function drain(message: IncomingMessage): void {
  let dropped = 0
  message.on('data', (chunk: Buffer) => {
    dropped += chunk.byteLength
    if (dropped > maxDrain) message.socket.destroy()
  })
  message.on('error', () => {})
  message.resume()
}
