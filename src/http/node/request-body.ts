import type { IncomingMessage } from 'node:http'
import { Http2ServerRequest } from 'node:http2'

/** How much of a body that nobody wants is still read, so that the client gets to see the answer. */
const maxDrain = 64 * 1024 * 1024

/**
 * The body of a request as a web stream, with back-pressure; `undefined` when the request has none.
 *
 * @remarks
 * Cancelling it does not destroy the connection, as `Readable.toWeb` would: a client that is still sending
 * must be able to read the refusal. The rest is read and dropped, up to a limit.
 */
export function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> | undefined {
  if (!hasBody(message)) return undefined
  let stop = (): void => {}
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const onData = (chunk: Buffer) => {
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) <= 0) message.pause()
        }
        const onEnd = () => {
          stop()
          controller.close()
        }
        const onFailure = () => {
          stop()
          controller.error(new Error('the client closed the connection before the whole body had come'))
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
        // Who is gone already is not heard of again.
        if (message.destroyed) onFailure()
      },
      pull: () => void message.resume(),
      cancel: () => {
        stop()
        drain(message)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Whether somebody took of the body before: it would be waited for in vain. */
export const wasRead = (message: IncomingMessage): boolean => hasBody(message) && message.readableDidRead

/** Whether a body follows the head of a request: its headers say so, and HTTP/2 does by not ending there. */
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
