import { numbering } from '../../search/index.ts'
import { foldName } from '../modules/names.ts'
import type { DirectoryQuery } from './query.ts'
import type { ModuleRow } from './row.ts'

/**
 * The filter columns of searches, by slot: rejecting a hundred thousand rows must not touch the rows.
 */
export function columns() {
  const names = numbering()
  const verified: boolean[] = []
  const providers: number[] = []
  const namespaces: number[] = []

  const numberOf = (name: string): number => names.find(foldName(name))

  return {
    put: (slot: number, row: ModuleRow): void => {
      verified[slot] = row.verified
      providers[slot] = names.assign(foldName(row.provider))
      namespaces[slot] = names.assign(foldName(row.namespace))
    },
    /** Takes the points of every slot that a query's filters turn away. */
    filter: (points: Uint16Array, query: DirectoryQuery): void => {
      const wantVerified = query.verified === true
      const provider = query.provider === undefined ? undefined : numberOf(query.provider)
      const namespace = query.namespace === undefined ? undefined : numberOf(query.namespace)
      const visible = query.visible && new Set(query.visible.map(numberOf))
      if (!wantVerified && provider === undefined && namespace === undefined && !visible) return
      for (let slot = 0; slot < points.length; slot += 1) {
        if (points[slot] === 0) continue
        if (
          (wantVerified && !verified[slot]) ||
          (provider !== undefined && providers[slot] !== provider) ||
          (namespace !== undefined && namespaces[slot] !== namespace) ||
          (visible && !visible.has(namespaces[slot] ?? 0))
        )
          points[slot] = 0
      }
    },
  }
}
