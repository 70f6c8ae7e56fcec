import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody } from './request-body.ts'

/** What has to come or go within the time: whoever sends or takes less is only holding the connection. */
export const leastBytes = 16 * 1024

/** More than this a timer of the host does not count. */
export const longestMs = 2 ** 31 - 1

const tooSlow =
  'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nthe body did not come in time'

/**
 * Ends a request whose body is waited for in vain: fewer than 16 KiB of it within `timeoutMs`. A body that nobody reads at
 * the moment, because the handler is busy, is not waited for.
 */
export function expectBody(message: IncomingMessage, response: ServerResponse, timeoutMs: number): void {
  if (timeoutMs > longestMs || !hasBody(message)) return
  const { socket } = message
  let before = socket.bytesRead
  const look = setInterval(() => {
    if (message.complete) return clearInterval(look)
    const came = socket.bytesRead - before
    before = socket.bytesRead
    // Behind a request that somebody else is still answering, it is not this one's turn.
    const isAnswering = response.socket !== null
    const isWaitedFor = response.writableEnded || (isAnswering && message.readableFlowing === true)
    if (!isWaitedFor || came >= leastBytes) return
    if (isAnswering && !response.headersSent) socket.write(tooSlow)
    socket.destroySoon()
  }, timeoutMs)
  look.unref()
  message.once('close', () => clearInterval(look))
}
