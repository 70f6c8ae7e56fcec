import type { Reporter } from '../../../kernel/event-emitter.ts'
import type { Timers } from '../../../kernel/index.ts'
import { heardRecords, nodeRecords, nodeTokenRecords } from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import { done } from '../write/record.ts'
import type { Alarms } from './alarms.ts'

/** How often in a heartbeat TTL a server announces which nodes it has heard. */
const announcementsPerTtl = 3

const announceEveryMs = ({ heartbeatTtlMs }: Cluster): number => heartbeatTtlMs / announcementsPerTtl

/** After so many TTLs without a word, the record of a server that is gone is removed. */
const forgottenAfter = 10

/** The heartbeats of nodes, whichever server hears them. */
export interface Heartbeats {
  /** Records a heartbeat of a node at this server. */
  readonly heard: (nodeId: string) => void
  /** Looks at changed records. */
  readonly look: (keys: readonly string[]) => void
  readonly close: () => void
}

/**
 * Watches for missed heartbeats. On a store that other servers may share, each server records from time to time which
 * nodes it has heard, in one record: a node is silent only once its TTL has passed everywhere, and the others have had
 * the time to say otherwise.
 *
 * @param lose - called for a silent node; it asks `isHeard` once more in its decision
 */
export function heartbeats(
  cluster: Cluster,
  due: Alarms,
  options: {
    readonly timers: Timers
    readonly ttlMs: (nodeId: string) => number | undefined
    readonly isShared: boolean
    readonly onError: Reporter
    readonly lose: (nodeId: string, isHeard: () => boolean) => Promise<void>
  },
): Heartbeats {
  const { view, env } = cluster
  const { timers, ttlMs, isShared, onError, lose } = options
  const everyMs = announceEveryMs(cluster)
  const server = env().newId('server')
  const loseUnheard = (id: string) => lose(id, () => silences.has(id))
  const suspects = due.kind(loseUnheard)
  const silences = due.kind((id) => {
    if (!isShared) return loseUnheard(id)
    // After an outage of the store, the others could not say until now what they have heard.
    return view.fresh().then(() => {
      if (!silences.has(id)) suspects.setIn(id, everyMs)
    })
  })
  /** Starts the TTL of a node anew; `false` if the node is not watched. */
  const hear = (id: string): boolean => {
    const ttl = ttlMs(id)
    if (ttl === undefined) return false
    silences.setIn(id, ttl)
    suspects.set(id, undefined)
    return true
  }
  const announced = isShared ? announcements(cluster, due, { server, timers, onError }) : undefined
  // The process that watched the nodes with a runner may be gone: their heartbeats are due from now on.
  for (const { value } of nodeTokenRecords.list(view.stale())) hear(value.NodeID)

  return {
    heard: (id) => {
      if (hear(id)) announced?.add(id)
    },
    look: (keys) => {
      const now = view.stale()
      for (const key of keys) {
        if (!key.startsWith(heardRecords.prefix)) continue
        const entry = now.get(key)
        const record = entry && heardRecords.stored(entry).value
        if (record === undefined || record.ServerID === server) continue
        for (const id of record.NodeIDs) if (nodeRecords.get(now, id) !== undefined) hear(id)
      }
    },
    close: () => announced?.close(),
  }
}

/** Records from time to time, for the other servers, which nodes this one has heard. */
function announcements(
  cluster: Cluster,
  due: Alarms,
  {
    server,
    timers,
    onError,
  }: { readonly server: string; readonly timers: Timers; readonly onError: Reporter },
) {
  const { view, heartbeatTtlMs } = cluster
  let unannounced = new Set<string>()
  let cancel: (() => void) | undefined
  let isClosed = false
  const announceLater = () => {
    if (isClosed) return
    cancel ??= timers.after(announceEveryMs(cluster), () => {
      cancel = undefined
      due.run(announce())
    })
  }
  const announce = async () => {
    const announced = unannounced
    unannounced = new Set()
    try {
      await cluster.commitAt((tx, { now }) => {
        tx.put(heardRecords, { ServerID: server, At: now, NodeIDs: [...announced] })
        for (const { value } of heardRecords.list(view.stale()))
          if (value.At < now - forgottenAfter * heartbeatTtlMs) tx.delete(heardRecords, value.ServerID)
        return done()
      })
    } catch (error) {
      for (const id of announced) unannounced.add(id)
      announceLater()
      onError(error)
    }
  }
  return {
    add: (id: string): void => {
      unannounced.add(id)
      announceLater()
    },
    close: (): void => {
      isClosed = true
      cancel?.()
    },
  }
}
