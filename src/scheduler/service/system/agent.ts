import type { Refused } from '../../../kernel/index.ts'
import { version } from '../../../version.ts'
import { permissionDenied } from '../acl/authenticate.ts'
import type { ReadCall } from '../call.ts'
import type { Cluster } from '../cluster.ts'
import { enter } from '../enter.ts'

/**
 * One server of the cluster, as its agents know it.
 *
 * @public
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
 *
 * @public
 */
export interface AgentMembers {
  readonly ServerName: string
  readonly ServerRegion: string
  readonly ServerDC: string
  readonly Members: readonly AgentMember[]
}

/**
 * One agent, as it sees itself.
 *
 * @public
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

/** The port servers speak to each other on, by custom. */
const serverPort = 4647

export function agentMethods(cluster: Cluster) {
  const { region, consistency, server } = cluster
  const leader = `${server.address}:${serverPort}`
  const member = (): AgentMember => ({
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
  return {
    /** The servers of the cluster; asks for `node:read`. */
    listMembers: (
      call: ReadCall = {},
    ): Promise<{ readonly ok: true; readonly value: AgentMembers } | Refused<'permission_denied'>> =>
      enter(cluster, call, ({ access }) => {
        if (!access.coarse('node', 'read')) return permissionDenied()
        const value: AgentMembers = {
          ServerName: server.name,
          ServerRegion: region,
          ServerDC: server.datacenter,
          Members: [member()],
        }
        return { ok: true, value }
      }),
    /**
     * This agent as it sees itself; asks for `agent:read`.
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
    readAgent: (
      call: ReadCall = {},
    ): Promise<{ readonly ok: true; readonly value: AgentSelf } | Refused<'permission_denied'>> =>
      enter(cluster, call, ({ access }) => {
        if (!access.coarse('agent', 'read')) return permissionDenied()
        const isLeader = consistency.lastContact() === 0 && consistency.knownLeader()
        const stats = { server: 'true', leader: String(isLeader), leader_addr: leader, version }
        const value: AgentSelf = {
          config: {
            Region: region,
            Datacenter: server.datacenter,
            NodeName: server.name,
            Version: { Version: version },
            ACL: { Enabled: cluster.acl.enabled },
            Server: { Enabled: true },
          },
          member: member(),
          stats: Object.fromEntries(cluster.product.map((word) => [word.toLowerCase(), stats])),
        }
        return { ok: true, value }
      }),
    /** The leader's address; empty where none is known. */
    readLeader: async (): Promise<string> => (consistency.knownLeader() ? leader : ''),
    /** The addresses of all servers. */
    listPeers: async (): Promise<readonly string[]> => [leader],
    /** The regions this cluster knows; its own, at least. */
    listRegions: async (): Promise<readonly string[]> => [region],
  }
}
