import { ranking } from '../../search/index.ts'
import { foldName } from '../boxes/names.ts'
import { type BoxRow, type Sort, sorts } from './row.ts'

/** The sort key of each order; boxes with equal keys are in the order of their full names. */
const sortValue = {
  downloads: (row: BoxRow) => row.downloads,
  created: (row: BoxRow) => row.createdAt,
  updated: (row: BoxRow) => row.updatedAt,
} as const satisfies Record<Sort, (row: BoxRow) => number>

/** The fields of a row that move it in an order. */
export const moving = ['downloads', 'createdAt', 'updatedAt', 'private'] as const

const compareBy = (sort: Sort) => {
  const value = sortValue[sort]
  return (a: BoxRow, b: BoxRow): number => value(a) - value(b) || compareNames(a, b)
}

const orderBy = (sort: Sort, rowAt: (slot: number) => BoxRow) => ranking(rowAt, compareBy(sort))

const compareNames = (a: BoxRow, b: BoxRow): number => {
  const [left, right] = [`${a.username}/${a.name}`, `${b.username}/${b.name}`]
  if (left === right) return 0
  return left < right ? -1 : 1
}

const everyOrder = (rowAt: (slot: number) => BoxRow) => ({
  downloads: orderBy('downloads', rowAt),
  created: orderBy('created', rowAt),
  updated: orderBy('updated', rowAt),
})

/** Each takes four bytes for every box. */
const maxWoven = 8

/**
 * The slots of boxes in each order. Public and private boxes are ranked apart, so that private ones cost nothing for
 * callers who may not see them.
 */
export function boxOrders(rowAt: (slot: number) => BoxRow) {
  const shared = everyOrder(rowAt)
  const hidden = everyOrder(rowAt)
  const hiddenOf = new Map<string, Set<number>>()
  /**
   * The merged order of the latest set of owners, until something changes: merging takes time proportional to the
   * number of boxes.
   */
  const woven = new Map<string, Uint32Array>()

  /** The private slots of some owners, in an order: few, as a rule. */
  const ownHidden = (sort: Sort, owners: readonly string[]): readonly number[] => {
    const own = [...new Set(owners)].flatMap((owner) => [...(hiddenOf.get(owner) ?? [])])
    if (own.length === 0) return own
    const order = orderBy(sort, rowAt)
    for (const slot of own) order.add(slot)
    return [...order.read()]
  }

  const weave = (sort: Sort, own: Uint32Array | readonly number[]): Uint32Array => {
    const all = shared[sort].read()
    const both = new Uint32Array(all.length + own.length)
    let taken = 0
    for (let index = 0; index < own.length; index += 1) {
      const slot = own[index] ?? 0
      const place = shared[sort].place(slot)
      both.set(all.subarray(taken, place), taken + index)
      both[place + index] = slot
      taken = place
    }
    both.set(all.subarray(taken), taken + own.length)
    return both
  }

  return {
    /** Puts everything in order, in steps, before it is first asked for. */
    settling: function* (): Generator<void, void> {
      for (const sort of sorts) for (const order of [shared, hidden]) yield* order[sort].settling()
    },
    add: (slot: number, row: BoxRow): void => {
      woven.clear()
      for (const sort of sorts) (row.private ? hidden : shared)[sort].add(slot)
      if (!row.private) return
      const owner = foldName(row.username)
      const owned = hiddenOf.get(owner)
      if (owned) owned.add(slot)
      else hiddenOf.set(owner, new Set([slot]))
    },
    remove: (slot: number, row: BoxRow): void => {
      woven.clear()
      for (const sort of sorts) (row.private ? hidden : shared)[sort].remove(slot)
      if (row.private) hiddenOf.get(foldName(row.username))?.delete(slot)
    },
    /** The slots a caller may see, in an order, ascending; good until the next change. */
    visible: (sort: Sort, owners: readonly string[] | 'all'): Uint32Array => {
      const asked = `${sort} ${owners === 'all' ? '*' : owners.join(' ')}`
      const known = woven.get(asked)
      if (known) return known
      const own = owners === 'all' ? hidden[sort].read() : ownHidden(sort, owners)
      if (own.length === 0) return shared[sort].read()
      if (woven.size >= maxWoven) woven.clear()
      const both = weave(sort, own)
      woven.set(asked, both)
      return both
    },
    /** Those of a few slots that a caller may see, in an order, ascending. */
    among: (few: readonly number[], sort: Sort, owners: readonly string[] | 'all'): readonly number[] => {
      const seen = few.filter((slot) => {
        const { private: isPrivate, username } = rowAt(slot)
        return !isPrivate || owners === 'all' || owners.includes(foldName(username))
      })
      const compare = compareBy(sort)
      return seen.sort((a, b) => compare(rowAt(a), rowAt(b)))
    },
  }
}
