import { cells } from './cells.ts'
import { grown } from './grown.ts'

/** The first block of a list holds one number, and each next one twice as many, up to this. */
const largestBlock = 512

/** Reads a run of numbers: `numbers[from]` up to `numbers[to - 1]`. */
export type ReadRun = (numbers: Uint32Array, from: number, to: number) => void

/**
 * Many lists of 32-bit numbers that only grow, in common typed arrays: an array of its own for each would cost more than
 * the numbers in it, because most lists have one.
 *
 * @remarks
 * A list is a chain of blocks; the cell after a block contains the address of the next one. A list has a number, 0 or
 * more, in the order of creation.
 */
export function postingLists() {
  const numbers = cells()
  let used = 0
  let lists = 0
  let heads = new Uint32Array(0)
  /** The address of a list's next number, unless its last block is full. */
  let ends = new Uint32Array(0)
  let counts = new Uint32Array(0)
  /** The free cells of a list's last block. */
  let free = new Uint16Array(0)

  /** The address of a new block, which is within one chunk together with its link. */
  const addBlock = (size: number): number => {
    const block = numbers.fitting(used, size + 1)
    used = block + size + 1
    return block
  }

  return {
    /** Creates an empty list; returns its number. */
    create: (): number => {
      const list = lists
      lists += 1
      heads = grown(heads, lists)
      ends = grown(ends, lists)
      counts = grown(counts, lists)
      free = grown(free, lists)
      return list
    },
    add: (list: number, number: number): void => {
      const count = counts[list] ?? 0
      if (free[list] === 0) {
        // Full blocks of 1, 2, 4 … are one number short of the next power of two.
        const size = Math.min(count + 1, largestBlock)
        const block = addBlock(size)
        if (count === 0) heads[list] = block
        else numbers.set(ends[list] ?? 0, block)
        ends[list] = block
        free[list] = size
      }
      const end = ends[list] ?? 0
      numbers.set(end, number)
      ends[list] = end + 1
      counts[list] = count + 1
      free[list] = (free[list] ?? 0) - 1
    },
    count: (list: number): number => counts[list] ?? 0,
    /** The number that was added last; 0 if there is none. */
    last: (list: number): number => numbers.get((ends[list] ?? 0) - 1),
    /** Calls back with all numbers of a list, block by block, in the order in which they were added. */
    read: (list: number, found: ReadRun): void => {
      let left = counts[list] ?? 0
      let block = heads[list] ?? 0
      for (let size = 1; left > 0; size = Math.min(size * 2, largestBlock)) {
        const length = Math.min(size, left)
        const from = numbers.indexOf(block)
        found(numbers.chunkAt(block), from, from + length)
        left -= length
        if (left > 0) block = numbers.get(block + size)
      }
    },
  }
}

/** Posting lists of texts: of each, which numbers it occurs in. */
export function postingsByText() {
  const lists = postingLists()
  const listOf = new Map<string, number>()

  return {
    /** Adds a number to a text; no-op if it is the one that was added last. */
    add: (text: string, number: number): void => {
      let list = listOf.get(text)
      if (list === undefined) {
        list = lists.create()
        listOf.set(text, list)
      } else if (lists.last(list) === number) return
      lists.add(list, number)
    },
    count: (text: string): number => {
      const list = listOf.get(text)
      return list === undefined ? 0 : lists.count(list)
    },
    read: (text: string, found: ReadRun): void => {
      const list = listOf.get(text)
      if (list !== undefined) lists.read(list, found)
    },
  }
}
