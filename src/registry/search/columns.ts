import { numbering } from '../../search/index.ts'
import { foldName } from '../modules/names.ts'
import { type DirectoryQuery, namesIn } from './query.ts'
import type { ModuleRow } from './row.ts'

/**
 * The filter columns of searches, by slot: rejecting a hundred thousand rows must not touch the rows.
 */
export function columns() {
  const verified: boolean[] = []
  const providers = numbering()
  const namespaces = numbering()

  const numbersOf = (filter: DirectoryQuery['namespace'], column: typeof providers) => {
    const wanted = namesIn(filter)
    return wanted && column.among(wanted)
  }

  return {
    put: (slot: number, row: ModuleRow): void => {
      verified[slot] = row.verified
      providers.put(slot, foldName(row.provider))
      namespaces.put(slot, foldName(row.namespace))
    },
    remove: (slot: number): void => {
      for (const column of [providers, namespaces]) column.put(slot, undefined)
    },
    /** Takes the points of every slot that a query's filters turn away. */
    filter: (points: Uint16Array, query: DirectoryQuery): void => {
      const wantVerified = query.verified === true
      const wantedProviders = numbersOf(query.provider, providers)
      const wantedNamespaces = numbersOf(query.namespace, namespaces)
      const visible = numbersOf(query.visible, namespaces)
      if (!wantVerified && !wantedProviders && !wantedNamespaces && !visible) return
      for (let slot = 0; slot < points.length; slot += 1) {
        if (points[slot] === 0) continue
        if (
          (wantVerified && !verified[slot]) ||
          (wantedProviders && wantedProviders[providers.bySlot[slot] ?? 0] !== 1) ||
          (wantedNamespaces && wantedNamespaces[namespaces.bySlot[slot] ?? 0] !== 1) ||
          (visible && visible[namespaces.bySlot[slot] ?? 0] !== 1)
        )
          points[slot] = 0
      }
    },
  }
}
