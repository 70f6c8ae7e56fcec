import { grown } from '../../search/index.ts'
import { foldName } from '../modules/names.ts'
import type { DirectoryQuery } from './query.ts'
import type { ModuleRow } from './row.ts'

/**
 * The filter columns of searches, by slot in typed arrays: rejecting a hundred thousand rows must not touch the rows.
 */
export function columns() {
  const ids = new Map<string, number>()
  let verified = new Uint8Array(0)
  let provider = new Uint32Array(0)
  let namespace = new Uint32Array(0)

  /** Namespaces and providers share one numbering; 0 is a name that no module has. */
  const idOf = (name: string): number => ids.get(foldName(name)) ?? 0
  const idFor = (name: string): number => {
    const folded = foldName(name)
    const id = ids.get(folded) ?? ids.size + 1
    ids.set(folded, id)
    return id
  }

  return {
    set: (slot: number, row: ModuleRow): void => {
      verified = grown(verified, slot + 1)
      provider = grown(provider, slot + 1)
      namespace = grown(namespace, slot + 1)
      verified[slot] = row.verified ? 1 : 0
      provider[slot] = idFor(row.provider)
      namespace[slot] = idFor(row.namespace)
    },
    /** Takes the points of every slot that a query's filters turn away. */
    filter: (points: Uint16Array, query: DirectoryQuery): void => {
      const wantVerified = query.verified === true
      const wantProvider = query.provider === undefined ? undefined : idOf(query.provider)
      const wantNamespace = query.namespace === undefined ? undefined : idOf(query.namespace)
      const visible = query.visible && new Set(query.visible.map(idOf))
      if (!wantVerified && wantProvider === undefined && wantNamespace === undefined && !visible) return
      for (let slot = 0; slot < points.length; slot += 1) {
        if (points[slot] === 0) continue
        if (
          (wantVerified && verified[slot] === 0) ||
          (wantProvider !== undefined && provider[slot] !== wantProvider) ||
          (wantNamespace !== undefined && namespace[slot] !== wantNamespace) ||
          (visible && !visible.has(namespace[slot] ?? 0))
        )
          points[slot] = 0
      }
    },
  }
}
