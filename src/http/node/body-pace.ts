import type { IncomingMessage, ServerResponse } from 'node:http'

/** The minimum number of bytes within the time; a slower client only occupies the connection. */
export const leastBytes = 16 * 1024

/** The maximum of the host's timers. */
export const longestMs = 2 ** 31 - 1

const tooSlow =
  'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nthe body did not arrive in time'

/** Watches request bodies. */
export interface BodyWatch {
  readonly add: (message: IncomingMessage, response: ServerResponse) => void
  /** Called when the request is answered. A body that is still arriving is watched further. */
  readonly answered: (message: IncomingMessage) => void
}

/** A body that is arriving, and the bytes that its connection had read at the last check. */
interface Watched {
  readonly response: ServerResponse
  before: number | undefined
}

/**
 * Ends requests whose bodies arrive too slowly: fewer than 16 KiB within `timeoutMs`. A body that is not being read
 * because the handler is busy does not count. One timer checks all of them.
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

/** A request queued behind another one of its connection. */
const isAnswering = (response: ServerResponse): boolean => response.socket !== null
