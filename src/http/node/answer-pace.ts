import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { leastBytes, longestMs } from './body-pace.ts'

/**
 * Ends connections whose clients do not read: there is something of an answer for them all the time, and they take fewer
 * than 16 KiB of it within `timeoutMs`. Who waits for an answer, or for more of it, has nothing to read.
 *
 * @returns what is told of every answer before it begins
 */
export function readersWithin(timeoutMs: number): (socket: Socket, response: ServerResponse) => void {
  if (timeoutMs > longestMs) return () => {}
  /** How much the connection of an answer had taken when it was last looked at and there was more for it. */
  const takenBefore = new Map<Socket, number | undefined>()
  let look: NodeJS.Timeout | undefined
  const lookAtAll = (): void => {
    for (const [socket, before] of takenBefore) {
      const left = socket.writableLength
      const taken = socket.bytesWritten - left
      if (left > 0 && before !== undefined && taken - before < leastBytes) socket.destroy()
      else takenBefore.set(socket, left > 0 ? taken : undefined)
    }
    if (takenBefore.size > 0) return
    clearInterval(look)
    look = undefined
  }
  return (socket, response) => {
    takenBefore.set(socket, undefined)
    response.once('close', () => takenBefore.delete(socket))
    look ??= setInterval(lookAtAll, timeoutMs).unref()
  }
}
