import { ranking } from '../../search/index.ts'
import type { ModuleRow } from './row.ts'

/** The rank of a module: partner flag, downloads, folded address. */
export interface Popularity extends Pick<ModuleRow, 'verified' | 'downloads'> {
  readonly address: string
}

/** Slots in order of popularity: partner modules first, then more downloads, then address. */
export const popularityOrder = (popularityOf: (slot: number) => Popularity) =>
  ranking(popularityOf, (a, b) => {
    if (a.verified !== b.verified) return a.verified ? -1 : 1
    if (a.downloads !== b.downloads) return b.downloads - a.downloads
    if (a.address === b.address) return 0
    return a.address < b.address ? -1 : 1
  })
