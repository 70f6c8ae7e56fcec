import { connect } from 'node:net'

/** A keep-alive connection. */
export interface Connection {
  /** Sends a request; the callback gets the status once the whole response has arrived. */
  readonly ask: (message: string, answered: (status: number) => void) => void
  readonly close: () => void
}

/** Opens a connection. It reads only where a response ends, because the client must cost less than any server. */
export async function connection(port: number, fail: (error: Error) => void): Promise<Connection> {
  let answered: ((status: number) => void) | undefined
  let head: Buffer | undefined
  let status = 0
  /** Bytes of the body still to come: `undefined` within a head, NaN when the body is chunked. */
  let left: number | undefined
  let tail = ''
  const take = (bytes: number, buffer: Uint8Array): boolean => {
    let piece = Buffer.from(buffer.buffer, buffer.byteOffset, bytes)
    if (left === undefined) {
      if (head !== undefined) piece = Buffer.concat([head, piece])
      const end = piece.indexOf('\r\n\r\n')
      // The next read overwrites the buffer.
      head = end < 0 ? Buffer.from(piece) : undefined
      if (end < 0) return true
      const text = piece.toString('latin1', 0, end)
      status = Number(text.slice(9, 12))
      const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
      left = length === undefined ? Number.NaN : Number(length)
      piece = piece.subarray(end + 4)
      tail = ''
      if (status === 204 || status === 304) left = 0
    }
    // JSON has no CRLF of its own, so only the last chunk ends like this.
    if (Number.isNaN(left)) {
      tail = (tail + piece.toString('latin1', Math.max(0, piece.length - 5))).slice(-5)
      if (tail === '0\r\n\r\n') left = 0
    } else left -= piece.length
    if (left !== 0) return true
    left = undefined
    answered?.(status)
    return true
  }
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: Buffer.allocUnsafe(64 * 1024), callback: take },
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('a server closed a connection')))
  return {
    ask: (message, then) => {
      answered = then
      socket.write(message, 'latin1')
    },
    close: () => socket.destroy(),
  }
}
