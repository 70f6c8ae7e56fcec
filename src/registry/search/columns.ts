import { numbering } from '../../search/index.ts'
import { foldName } from '../modules/names.ts'
import { type DirectoryQuery, namesIn } from './query.ts'
import type { ModuleRow } from './row.ts'

/**
 * The filter columns of searches, by slot: rejecting a hundred thousand rows must not touch the rows.
 */
export function columns() {
  const names = numbering()
  const verified: boolean[] = []
  const providers: number[] = []
  const namespaces: number[] = []

  const numbersOf = (filter: DirectoryQuery['namespace']) => {
    const wanted = namesIn(filter)
    return wanted && new Set(wanted.map((name) => names.find(name)))
  }

  return {
    put: (slot: number, row: ModuleRow): void => {
      verified[slot] = row.verified
      providers[slot] = names.assign(foldName(row.provider))
      namespaces[slot] = names.assign(foldName(row.namespace))
    },
    /** Takes the points of every slot that a query's filters turn away. */
    filter: (points: Uint16Array, query: DirectoryQuery): void => {
      const wantVerified = query.verified === true
      const [wantedProviders, wantedNamespaces, visible] = [
        query.provider,
        query.namespace,
        query.visible,
      ].map(numbersOf)
      if (!wantVerified && !wantedProviders && !wantedNamespaces && !visible) return
      for (let slot = 0; slot < points.length; slot += 1) {
        if (points[slot] === 0) continue
        if (
          (wantVerified && !verified[slot]) ||
          (wantedProviders && !wantedProviders.has(providers[slot] ?? 0)) ||
          (wantedNamespaces && !wantedNamespaces.has(namespaces[slot] ?? 0)) ||
          (visible && !visible.has(namespaces[slot] ?? 0))
        )
          points[slot] = 0
      }
    },
  }
}
