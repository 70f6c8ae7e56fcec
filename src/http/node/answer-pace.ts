import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { leastBytes, longestMs } from './body-pace.ts'

/**
 * Closes connections whose clients do not read: they take less than 16 KiB of available data within `timeoutMs`. Time
 * without available data does not count.
 *
 * @returns a function to call for every answer before it begins
 */
export function readersWithin(timeoutMs: number): (socket: Socket, response: ServerResponse) => void {
  if (timeoutMs > longestMs) return () => {}
  /**
   * The newest answer of each connection, and how many bytes of it had been taken at the last check with data ready.
   */
  const watched = new Map<Socket, { response: ServerResponse; before: number | undefined }>()
  let look: NodeJS.Timeout | undefined
  const lookAtAll = (): void => {
    for (const [socket, one] of watched) {
      const left = one.response.destroyed ? 0 : socket.writableLength
      const taken = socket.bytesWritten - left
      if (left > 0 && one.before !== undefined && taken - one.before < leastBytes) socket.destroy()
      else one.before = left > 0 ? taken : undefined
    }
    if (watched.size > 0) return
    clearInterval(look)
    look = undefined
  }
  return (socket, response) => {
    const known = watched.get(socket)
    if (known) {
      known.response = response
      return
    }
    watched.set(socket, { response, before: undefined })
    socket.once('close', () => watched.delete(socket))
    look ??= setInterval(lookAtAll, timeoutMs).unref()
  }
}
