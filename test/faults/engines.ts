import { type EtcdCluster, etcdCluster } from '../store/etcd-server.ts'
import { type PostgresServer, postgresServer } from '../store/postgres-server.ts'
import { type TcpProxy, tcpProxy } from '../store/tcp-proxy.ts'

/** A fault: what it does, and how it ends. */
export interface Fault {
  readonly name: string
  /** The least that it lasts, in milliseconds. */
  readonly leastMs?: number
  begin(): Promise<void> | void
  end(): Promise<void> | void
}

/** A database, reached by each server over links of its own. */
export interface Engine {
  readonly kind: 'etcd' | 'postgres'
  /** The addresses for a server. */
  addressesOf(server: number): readonly string[]
  /** The addresses without links. */
  readonly direct: readonly string[]
  readonly faults: readonly Fault[]
  stop(): Promise<void>
}

const portOf = (url: string): number => Number(new URL(url).port)

/** What can be done to some links. */
const linkFaults = (
  name: string,
  links: readonly TcpProxy[],
  cuts: readonly ('silent' | 'to' | 'from' | 'torn')[] = ['silent', 'to', 'from'],
): readonly Fault[] => {
  const all = (to: Parameters<TcpProxy['set']>[0]) => () => {
    for (const link of links) link.set(to)
  }
  return [
    ...cuts.map((cut) => ({
      name: `${name}: ${cut}`,
      // Nothing but the silence after a statement tells that a connection is torn.
      ...(cut === 'torn' ? { leastMs: 4_500 } : {}),
      begin: all(cut),
      end: all('open'),
    })),
    { name: `${name}: 300 ms each way`, begin: all(300), end: all('open') },
    {
      name: `${name}: reset`,
      begin: () => {
        for (const link of links) link.reset()
      },
      end: () => {},
    },
  ]
}

/** A cluster of three members, which reach each other over links as well. */
export async function etcdEngine(servers: number): Promise<Engine> {
  const peers: TcpProxy[] = []
  const cluster: EtcdCluster = await etcdCluster({
    members: 3,
    peerVia: async (url) => {
      const link = await tcpProxy(portOf(url))
      peers.push(link)
      return `http://127.0.0.1:${link.port}`
    },
  })
  const links = await Promise.all(
    Array.from({ length: servers }, () => Promise.all(cluster.urls.map((url) => tcpProxy(portOf(url))))),
  )
  return {
    kind: 'etcd',
    addressesOf: (server) => (links[server] ?? []).map(({ port }) => `http://127.0.0.1:${port}`),
    direct: cluster.urls,
    faults: [
      ...cluster.members.flatMap((member, at): readonly Fault[] => [
        { name: `member ${at}: killed`, begin: () => member.kill(), end: () => member.start() },
        { name: `member ${at}: paused`, begin: () => member.pause(), end: () => member.goOn() },
        ...linkFaults(
          `the link of the members to member ${at}`,
          [peers[at]].filter((link) => !!link),
        ),
      ]),
      {
        name: 'two members: killed',
        begin: async () => {
          await cluster.members[0]?.kill()
          await cluster.members[1]?.kill()
        },
        end: () => {
          cluster.members[0]?.start()
          cluster.members[1]?.start()
        },
      },
      ...links.flatMap((own, server) => [
        ...linkFaults(`the links of server ${server}`, own, ['silent', 'to', 'from', 'torn']),
        ...own.flatMap((link, at) =>
          linkFaults(
            `the link of server ${server} to member ${at}`,
            [link],
            ['silent', 'to', 'from', 'torn'],
          ),
        ),
      ]),
    ],
    stop: async () => {
      await cluster.stop()
      for (const link of [...peers, ...links.flat()]) await link.close()
    },
  }
}

/** One PostgreSQL. */
export async function postgresEngine(servers: number): Promise<Engine> {
  const database: PostgresServer = await postgresServer()
  const url = await database.database()
  const links = await Promise.all(Array.from({ length: servers }, () => tcpProxy(portOf(url))))
  return {
    kind: 'postgres',
    addressesOf: (server) => [url.replace(/:\d+\//, `:${links[server]?.port}/`)],
    direct: [url],
    faults: [
      { name: 'the database: killed', begin: () => database.kill(), end: () => database.start() },
      ...linkFaults('all links', links, ['silent', 'to', 'from', 'torn']),
      ...links.flatMap((link, server) =>
        linkFaults(`the link of server ${server}`, [link], ['silent', 'to', 'from', 'torn']),
      ),
    ],
    stop: async () => {
      await database.stop()
      for (const link of links) await link.close()
    },
  }
}
