import type { IncomingMessage, ServerResponse } from 'node:http'

/** The minimum number of bytes within the time; a client that sends or takes less only holds the connection. */
export const leastBytes = 16 * 1024

/** More than this a timer of the host does not count. */
export const longestMs = 2 ** 31 - 1

const tooSlow =
  'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nthe body did not arrive in time'

/** Watches request bodies. */
export interface BodyWatch {
  readonly add: (message: IncomingMessage, response: ServerResponse) => void
  /** The request was answered. A body that is still coming is watched on. */
  readonly answered: (message: IncomingMessage) => void
}

/** A body that is coming, and how much its connection had read at the last look. */
interface Watched {
  readonly response: ServerResponse
  before: number | undefined
}

/**
 * Ends requests whose bodies are waited for in vain: fewer than 16 KiB within `timeoutMs`. A body that is not read at
 * the moment, because the handler is busy, is not waited for. One timer looks at all of them.
 */
export function bodiesWithin(timeoutMs: number): BodyWatch {
  if (timeoutMs > longestMs) return { add: () => {}, answered: () => {} }
  const watched = new Map<IncomingMessage, Watched>()
  let look: NodeJS.Timeout | undefined
  const lookAtAll = (): void => {
    for (const [message, one] of watched) {
      if (message.complete || message.destroyed) watched.delete(message)
      else if (isTooSlow(message, one)) end(message, one.response)
    }
    if (watched.size > 0) return
    clearInterval(look)
    look = undefined
  }
  return {
    add: (message, response) => {
      watched.set(message, { response, before: undefined })
      look ??= setInterval(lookAtAll, timeoutMs).unref()
    },
    answered: (message) => {
      if (message.complete) watched.delete(message)
    },
  }
}

function isTooSlow(message: IncomingMessage, one: Watched): boolean {
  const { response, before } = one
  const { bytesRead } = message.socket
  const isWaitedFor = response.writableEnded || (isAnswering(response) && message.readableFlowing === true)
  one.before = isWaitedFor ? bytesRead : undefined
  return isWaitedFor && before !== undefined && bytesRead - before < leastBytes
}

function end({ socket }: IncomingMessage, response: ServerResponse): void {
  if (isAnswering(response) && !response.headersSent) socket.write(tooSlow)
  socket.destroySoon()
}

/** Behind a request of its connection that is still being answered, it is not this one's turn. */
const isAnswering = (response: ServerResponse): boolean => response.socket !== null
