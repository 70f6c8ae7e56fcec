import { operation } from '../../operation/operation.ts'
import { version } from '../../version.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { ReadCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { call } from './arguments.ts'

/**
 * One server of the cluster, as its agents know it.
 */
export interface AgentMember {
  readonly Name: string
  readonly Addr: string
  readonly Port: number
  readonly Tags: Readonly<Record<string, string>>
  readonly Status: string
  readonly ProtocolMin: number
  readonly ProtocolMax: number
  readonly ProtocolCur: number
  readonly DelegateMin: number
  readonly DelegateMax: number
  readonly DelegateCur: number
}

/**
 * The servers of the cluster, as one of them sees them.
 */
export interface AgentMembers {
  readonly ServerName: string
  readonly ServerRegion: string
  readonly ServerDC: string
  readonly Members: readonly AgentMember[]
}

/**
 * One agent, as it sees itself.
 */
export interface AgentSelf {
  readonly config: {
    readonly Region: string
    readonly Datacenter: string
    readonly NodeName: string
    readonly Version: { readonly Version: string }
    readonly ACL: { readonly Enabled: boolean }
    readonly Server: { readonly Enabled: boolean }
  }
  readonly member: AgentMember
  /** By product word, in lower case. */
  readonly stats: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** The default port for traffic between servers. */
const serverPort = 4647
const leaderOf = ({ server }: Cluster) => `${server.address}:${serverPort}`

const memberOf = ({ server, region }: Cluster): AgentMember => ({
  Name: `${server.name}.${region}`,
  Addr: server.address,
  Port: 4648,
  Tags: { role: 'scheduler', region, dc: server.datacenter, port: String(serverPort) },
  Status: 'alive',
  ProtocolMin: 1,
  ProtocolMax: 5,
  ProtocolCur: 2,
  DelegateMin: 2,
  DelegateMax: 5,
  DelegateCur: 4,
})

/** The operations about the servers themselves. */
export const agentOperations = {
  /**
   * Lists the servers of the cluster; requires `node:read`.
   *
   * @example await scheduler.listMembers()
   */
  listMembers: operation({
    takes: [call],
    refuses: ['permission_denied'],
    run: (cluster: Cluster, call: ReadCall = {}) =>
      enter(cluster, call, ({ access }) => {
        if (!access.coarse('node', 'read')) return permissionDenied()
        const { region, server } = cluster
        const value: AgentMembers = {
          ServerName: server.name,
          ServerRegion: region,
          ServerDC: server.datacenter,
          Members: [memberOf(cluster)],
        }
        return { ok: true as const, value }
      }),
  }),
  /**
   * Reads the configuration and state of this server; requires `agent:read`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore(), region: 'eu' })
   * const self = await scheduler.readAgent()
   * self.ok && self.value.config.Region // 'eu'
   * ```
   */
  readAgent: operation({
    takes: [call],
    refuses: ['permission_denied'],
    run: (cluster: Cluster, call: ReadCall = {}) =>
      enter(cluster, call, ({ access }) => {
        if (!access.coarse('agent', 'read')) return permissionDenied()
        const { consistency, region, server } = cluster
        const isLeader = consistency.lastContact() === 0 && consistency.knownLeader()
        const stats = { server: 'true', leader: String(isLeader), leader_addr: leaderOf(cluster), version }
        const value: AgentSelf = {
          config: {
            Region: region,
            Datacenter: server.datacenter,
            NodeName: server.name,
            Version: { Version: version },
            ACL: { Enabled: cluster.acl.enabled },
            Server: { Enabled: true },
          },
          member: memberOf(cluster),
          stats: Object.fromEntries(cluster.product.map((word) => [word.toLowerCase(), stats])),
        }
        return { ok: true as const, value }
      }),
  }),
  /**
   * The leader's address; empty if none is known.
   *
   * @example await scheduler.readLeader()
   */
  readLeader: operation({
    takes: [],
    refuses: [],
    run: async (cluster: Cluster) => (cluster.consistency.knownLeader() ? leaderOf(cluster) : ''),
  }),
  /**
   * The addresses of all servers.
   *
   * @example await scheduler.listPeers()
   */
  listPeers: operation({
    takes: [],
    refuses: [],
    run: async (cluster: Cluster) => [leaderOf(cluster)],
  }),
  /**
   * The known regions of this cluster; at least its own.
   *
   * @example await scheduler.listRegions() // ['global']
   */
  listRegions: operation({
    takes: [],
    refuses: [],
    run: async (cluster: Cluster) => [cluster.region],
  }),
}
