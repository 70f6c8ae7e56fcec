import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { leastBytes, longestMs } from './body-pace.ts'

/**
 * Ends connections whose clients do not read: there is something for them all the time, and they take fewer than 16 KiB
 * of it within `timeoutMs`. Who waits for an answer, or for more of it, has nothing to read.
 */
export function expectReaders(server: Server, timeoutMs: number, secure: boolean): void {
  if (timeoutMs > longestMs) return
  /** How much a connection had taken when it was last looked at and there was more for it. */
  const takenBefore = new Map<Socket, number | undefined>()
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    takenBefore.set(socket, undefined)
    socket.once('close', () => takenBefore.delete(socket))
  })
  const look = setInterval(() => {
    for (const [socket, before] of takenBefore) {
      const left = socket.writableLength
      const taken = socket.bytesWritten - left
      if (left > 0 && before !== undefined && taken - before < leastBytes) socket.destroy()
      else takenBefore.set(socket, left > 0 ? taken : undefined)
    }
  }, timeoutMs)
  look.unref()
  server.once('close', () => clearInterval(look))
}
