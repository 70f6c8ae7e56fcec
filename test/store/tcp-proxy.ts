import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A state of a link: `open`; `silent` loses all bytes, and lets connections live and begin; `to` and `from` lose those to
 * the server, or those from it; a number of milliseconds delays each way.
 */
export type Link = 'open' | 'silent' | 'to' | 'from' | number

/** A link to a TCP server that can be cut, which needs no rights. What a cut link loses breaks the connection for good. */
export interface TcpProxy {
  readonly port: number
  /** Changes the link, of living connections as well. */
  set(link: Link): void
  /** Resets all connections. */
  reset(): void
  close(): Promise<void>
}

export async function tcpProxy(port: number): Promise<TcpProxy> {
  let link: Link = 'open'
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    const pair = [client, upstream] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      upstream.destroy()
    }
    const carry = (from: Socket, to: Socket, lost: Link) => {
      // A connection from which bytes were lost carries none any more: TCP would repeat them, and this cannot.
      let isTorn = false
      from.on('data', (bytes) => {
        isTorn ||= link === 'silent' || link === lost
        if (isTorn) return
        if (typeof link === 'number') setTimeout(() => to.write(bytes), link)
        else to.write(bytes)
      })
      from.on('error', end)
      // A closed connection is news, which a silent link does not carry either.
      from.on('close', () => {
        if (link !== 'silent' && link !== lost) end()
      })
    }
    carry(client, upstream, 'to')
    carry(upstream, client, 'from')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const reset = () => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy()
      upstream.resetAndDestroy()
    }
    pairs.clear()
  }
  return {
    port: (server.address() as AddressInfo).port,
    set: (next) => {
      link = next
    },
    reset,
    close: async () => {
      reset()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
