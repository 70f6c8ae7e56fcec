import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A state of a link. `silent` holds all bytes back until the link is open again, as TCP repeats them; `to` and `from`
 * hold back those to the server, or those from it. `torn` loses them: a connection that lost some carries none any more,
 * as one that a firewall has forgotten. A number of milliseconds delays each way.
 */
export type Link = 'open' | 'silent' | 'to' | 'from' | 'torn' | number

/** A link to a TCP server that can be cut, which needs no rights. */
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
  const releases = new Set<() => void>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    // Without a listener a connection can be given the port that it asks for, and then it is connected with itself.
    upstream.once('connect', () => upstream.localPort === port && upstream.destroy())
    const pair = [client, upstream] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      upstream.destroy()
    }
    const carry = (from: Socket, to: Socket, way: Link) => {
      let isTorn = false
      const held: (() => void)[] = []
      const isHeld = () => link === 'silent' || link === way
      const release = () => {
        if (!isHeld()) for (const act of held.splice(0)) act()
      }
      releases.add(release)
      const pass = (act: () => void) => {
        isTorn ||= link === 'torn'
        if (isTorn) return
        if (typeof link === 'number') setTimeout(act, link)
        else if (isHeld() || held.length > 0) held.push(act)
        else act()
      }
      from.on('data', (bytes) => pass(() => to.write(bytes)))
      from.on('error', () => {})
      from.on('close', () =>
        pass(() => {
          releases.delete(release)
          end()
        }),
      )
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
    releases.clear()
  }
  return {
    port: (server.address() as AddressInfo).port,
    set: (next) => {
      link = next
      for (const release of releases) release()
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
