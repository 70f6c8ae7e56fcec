import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { partsOf, type Replica, rowKey, type Snapshot } from '../../store/index.ts'
import { hasEnded } from '../allocations/rules.ts'
import { usageIn } from '../allocations/usage.ts'
import type { Node } from '../nodes/model.ts'
import { type Eligible, rememberEligible } from '../placement/eligible.ts'
import { Site } from '../placement/site.ts'
import { allocationRecords, nodeRecords } from '../records/collections.ts'
import type { Tables } from '../records/tables.ts'

/**
 * Every node with the resources that its allocations use, cached between decisions: only changed nodes are read again.
 */
export interface Fleet {
  /** Reads the nodes that were not read yet, in slices: all of them the first time. */
  readonly prepare: () => Promise<void>
  /** The sites of a pool in a snapshot, `all` for every node. Not copies: do not change them. */
  readonly at: (now: Snapshot, pool: string) => ReadonlyMap<string, Site>
  /** Updates the fleet to a snapshot, and returns the changed nodes. */
  readonly refresh: (now: Snapshot) => ReadonlySet<string>
  /** Finds the sites of a pool that can take a group; cached until a node changes. */
  readonly eligible: Eligible
  /** Confirms that the changes on some nodes were stored with a revision. */
  readonly keep: (nodes: Iterable<string>, rev: number) => void
  /** Reports that the changes on some nodes were not stored. */
  readonly drop: (nodes: Iterable<string>) => void
  readonly close: () => void
}

interface Known {
  readonly row: Node
  readonly site: Site
  /** The mark of the node's allocations when they were counted. */
  rev: number
}

/** How many nodes are read before the event loop continues. */
const slice = 200

/** Opens the fleet of a replica; nothing is read before the first call. */
export function openFleet(view: Replica, tables: Pick<Tables, 'nodes' | 'allocations'>): Fleet {
  const known = new Map<string, Known>()
  const pools = new Map<string, Map<string, Site>>()
  const everySite = new Map<string, Site>()
  let stale = new Set<string>()
  /** Whether changes are noted, and whether every node was read. */
  let isHearing = false
  let isRead = false
  const { eligible, forget: nodesChanged } = rememberEligible()
  let preparing: Promise<void> | undefined
  const nodeMarks = allocationRecords.markOf('node', '')
  const off = view.onChange((rev, keys) => {
    if (!isHearing) return
    if (rev === 0) return forget()
    for (const key of keys) {
      if (key.startsWith(nodeRecords.prefix)) stale.add(String(partsOf(key)[1]))
      else if (key.startsWith(nodeMarks)) stale.add(String(partsOf(key)[3]))
    }
  })
  const forget = () => {
    isRead = false
    isHearing = false
    preparing = undefined
    nodesChanged()
    for (const each of [known, pools, everySite, stale]) each.clear()
  }
  const markOn = (now: Snapshot, id: string): number =>
    now.get(allocationRecords.markOf('node', id))?.modified ?? 0

  const remove = (id: string) => {
    nodesChanged()
    const before = known.get(id)
    known.delete(id)
    everySite.delete(id)
    if (before === undefined) return
    const pool = pools.get(before.row.NodePool)
    pool?.delete(id)
    if (pool?.size === 0) pools.delete(before.row.NodePool)
  }
  const read = (now: Snapshot, id: string, row: Node) => {
    const before = known.get(id)
    const site = before?.row === row ? before.site : new Site(row)
    site.empty()
    const rows = tables.allocations.at(now).by('node')
    for (const chunk of rows.chunks({ prefix: rowKey(id, '') }))
      for (const each of chunk) if (!hasEnded(each)) site.take(usageIn(each.AllocatedResources))
    if (before?.site !== site) remove(id)
    known.set(id, { row, site, rev: markOn(now, id) })
    everySite.set(id, site)
    let pool = pools.get(row.NodePool)
    if (pool === undefined) {
      pool = new Map()
      pools.set(row.NodePool, pool)
    }
    pool.set(id, site)
  }
  const refresh = (now: Snapshot): ReadonlySet<string> => {
    if (!isRead) {
      isHearing = true
      isRead = true
      for (const row of tables.nodes.at(now).scan()) if (!known.has(row.ID)) stale.add(row.ID)
    }
    if (stale.size === 0) return stale
    const rows = tables.nodes.at(now)
    const changed = new Set<string>()
    for (const id of stale) {
      const row = rows.get(id)
      const before = known.get(id)
      if (row === undefined) {
        remove(id)
        if (before !== undefined) changed.add(id)
      } else if (before?.row !== row || before.rev !== markOn(now, id)) {
        read(now, id, row)
        changed.add(id)
      }
    }
    stale = new Set()
    return changed
  }

  const readAll = async () => {
    const now = await view.fresh()
    isHearing = true
    for (const [at, row] of tables.nodes.at(now).scan().entries()) {
      if (at % slice === slice - 1) await nextMacrotask()
      // A caller needs it now.
      if (isRead || !isHearing) return
      read(now, row.ID, row)
    }
    isRead = true
  }

  return {
    prepare: async () => {
      preparing ??= readAll()
      if (!isRead) await preparing
    },
    at: (now, pool) => {
      refresh(now)
      return pool === 'all' ? everySite : (pools.get(pool) ?? new Map())
    },
    refresh,
    eligible,
    keep: (nodes, rev) => {
      for (const id of nodes) {
        const found = known.get(id)
        if (found !== undefined) found.rev = rev
      }
    },
    drop: (nodes) => {
      for (const id of nodes) {
        const found = known.get(id)
        if (found !== undefined) found.rev = -1
        stale.add(id)
      }
    },
    close: off,
  }
}
