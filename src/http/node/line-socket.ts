import { createSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'

/**
 * A socket to which lines are sent.
 */
export interface LineSocket {
  /**
   * Sends one line, which ends in a newline, and connects again if the connection was lost.
   *
   * @returns a promise that resolves once the operating system has taken the line, and rejects if it could not be sent
   *   in time
   */
  readonly write: (line: string) => Promise<void>
  /** Flushes and closes the socket. */
  readonly close: () => Promise<void>
}

/**
 * Options of {@link lineSocket}.
 */
export interface LineSocketOptions {
  /** `HOST:PORT`, or the path of a Unix socket. */
  readonly address: string
  /** `tcp` by default. */
  readonly socketType?: 'tcp' | 'udp' | 'unix' | undefined
  /** How long connecting and sending a line may take, in milliseconds; 2 seconds by default. */
  readonly timeoutMs?: number | undefined
}

/**
 * Opens a socket for sending lines, such as an audit log, to a collector.
 *
 * @remarks
 * Over TCP a line that was sent just before the collector ended can be lost: nothing acknowledges it. Over UDP nothing is
 * known of any line.
 *
 * @throws the system's error if nothing listens at the address (TCP and Unix sockets)
 *
 * @example
 * ```ts
 * import { createServer } from 'node:net'
 * import { lineSocket } from 'plinth/node'
 *
 * const collector = createServer((connection) => connection.resume())
 * const port = await new Promise<number>((resolve) => {
 *   collector.listen(0, '127.0.0.1', () => resolve((collector.address() as { port: number }).port))
 * })
 * const socket = await lineSocket({ address: `127.0.0.1:${port}` })
 * await socket.write('{"type":"request"}\n')
 * await socket.close()
 * collector.close()
 * ```
 */
export async function lineSocket({
  address,
  socketType = 'tcp',
  timeoutMs = 2000,
}: LineSocketOptions): Promise<LineSocket> {
  const [, host = '', port = ''] = /^(.*):(\d{1,5})$/.exec(address) ?? []
  const to = { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
  if (socketType === 'udp') return datagrams(to)
  const target = socketType === 'unix' ? { path: address } : to
  let connection = await connected(target, timeoutMs)
  let opening: Promise<void> | undefined
  const reopen = async () => {
    connection = await connected(target, timeoutMs)
  }
  return {
    write: async (line) => {
      // Lines that wait for a new connection share it.
      if (connection.destroyed || !connection.writable) {
        opening ??= reopen().finally(() => {
          opening = undefined
        })
        await opening
      }
      await sent(connection, line, timeoutMs)
    },
    close: async () => {
      await opening?.catch(() => {})
      if (connection.destroyed) return
      const closed = new Promise<void>((resolve) => connection.once('close', () => resolve()))
      connection.end(() => connection.destroy())
      await closed
    },
  }
}

function connected(
  target: { readonly path: string } | { readonly host: string; readonly port: number },
  timeoutMs: number,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(target)
    const timer = setTimeout(() => socket.destroy(late('connected to', timeoutMs)), timeoutMs)
    socket.once('error', reject)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', reject)
      // The next line reports that it is lost.
      socket.on('error', () => {})
      // Collectors send nothing; what they do send is read, so that their end is noticed.
      socket.resume()
      socket.unref()
      resolve(socket)
    })
    socket.once('close', () => clearTimeout(timer))
  })
}

function sent(socket: Socket, line: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(late('sent to', timeoutMs)), timeoutMs)
    socket.write(line, (error) => {
      clearTimeout(timer)
      // Lines that are under way when a socket is destroyed are called back without an error.
      const lost =
        error ?? (socket.destroyed ? (socket.errored ?? new Error('the connection was closed')) : null)
      if (lost === null) return resolve()
      socket.destroy()
      reject(lost)
    })
  })
}

const late = (what: string, timeoutMs: number) =>
  new Error(`the collector could not be ${what} within ${timeoutMs} ms`)

function datagrams({ host, port }: { readonly host: string; readonly port: number }): LineSocket {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.on('error', () => {})
  socket.unref()
  return {
    write: (line) =>
      new Promise((resolve, reject) => {
        socket.send(line, port, host, (error) => (error ? reject(error) : resolve()))
      }),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}
