import { readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { metasOf, type Tree, treeIn } from './file.ts'

/*
 * The engine trusts its pages: a damaged one ends the process, or silently hides a part of a table. Therefore the pages
 * of the newest state are verified once before the engine reads them. A page begins with its number, the transaction
 * that wrote it, its kind, and the ends of its node list and its free space, both counted from after this header. A
 * node is the size of its data (in a branch, the child page), flags, the size of its key, its key and its data.
 */
const pageHeader = 24
const nodeHeader = 8
const [branch, leaf, overflow] = [0x01, 0x02, 0x04]
const [onOwnPages, isTree] = [0x01, 0x02]

/** The number of pages read before yielding to the event loop. */
const readAtOnce = 64

/** 16 TiB with pages of the usual size. */
const mostPages = 2 ** 32

/** Thrown only inside the check. */
class PageFault extends Error {}

/**
 * Finds the first fault in the pages of the newest state; `undefined` if there is none.
 *
 * @remarks
 * A read transaction has to hold that state, or an older one, so that no writer reuses its pages meanwhile.
 */
export async function findPageFault(path: string): Promise<string | undefined> {
  const file = await open(path, 'r')
  try {
    await walk(file)
    return undefined
  } catch (error) {
    if (error instanceof PageFault) return error.message
    throw error
  } finally {
    await file.close()
  }
}

/** The keys allowed in a page: from `low`, inclusive, up to `high`, exclusive. */
interface Bounds {
  readonly low?: Buffer | undefined
  readonly high?: Buffer | undefined
}

async function walk(file: FileHandle): Promise<void> {
  const { first, second, newest } = await metasOf(file)
  if (first === undefined || second === undefined || newest === undefined)
    throw new PageFault('its beginning is truncated')
  const { pageSize, lastPage, transaction, free, main } = newest
  if (lastPage > mostPages) throw new PageFault('its size is damaged')
  const isUsed = new Uint8Array(lastPage + 1)
  const freeLists: Buffer[] = []
  let reads = 0
  // Two states are consecutive; a new file, or a copy, has only one. Otherwise the engine would read the older one.
  const apart = first.transaction - second.transaction
  const hasTwo = first.main.page !== undefined && second.main.page !== undefined
  const isLater = ({ main: root, transaction: written }: typeof newest) =>
    root.page !== undefined && bytesAt(root.page).readBigUInt64LE(8) > written
  if ((hasTwo && apart !== 1n && apart !== -1n) || isLater(first) || isLater(second))
    throw new PageFault('one of its two first pages is damaged')
  await walkTree(free, compareIntegers, (list) => freeLists.push(list))
  const tables: Tree[] = [main]
  for (const table of tables)
    await walkTree(table, Buffer.compare, (data, flags) => {
      if ((flags & isTree) !== 0) tables.push(treeIn(data))
    })
  for (const list of freeLists) checkFree(list)

  async function walkTree(
    root: Tree,
    compare: (a: Buffer, b: Buffer) => number,
    take: (data: Buffer, flags: number) => void,
  ): Promise<void> {
    const found = { branches: 0, leaves: 0, overflows: 0, entries: 0 }
    if (root.page !== undefined) await walkPage(root.page, 1, {})
    for (const part of ['branches', 'leaves', 'overflows', 'entries'] as const)
      if (found[part] !== root[part])
        throw new PageFault(`a table has ${found[part]} ${part} instead of ${root[part]}`)

    async function walkPage(number: number, depth: number, { low, high }: Bounds): Promise<void> {
      const isLeaf = depth === root.depth
      reads += 1
      if (reads % readAtOnce === 0) await nextTurn()
      const page = read(number, isLeaf ? leaf : branch)
      const nodes = nodesIn(page, number, isLeaf)
      if (isLeaf) found.leaves += 1
      else found.branches += 1
      let before = low
      for (const [at, node] of nodes.entries()) {
        // The first key of a branch is omitted: its page begins where the branch does.
        const key = isLeaf || at > 0 ? node.key : low
        const isLow = before !== undefined && key !== undefined && compare(key, before) < (at > 0 ? 1 : 0)
        if (isLow || (key !== undefined && high !== undefined && compare(key, high) >= 0))
          throw new PageFault(`page ${number} has keys out of order`)
        before = key
        if (isLeaf) walkData(node)
        else await walkPage(node.below, depth + 1, { low: key, high: nodes[at + 1]?.key ?? high })
      }
    }

    function walkData({ flags, data, size }: Node): void {
      found.entries += 1
      if ((flags & onOwnPages) === 0) {
        take(data, flags)
        return
      }
      const [start, count] = [Number(data.readBigUInt64LE()), Math.ceil((pageHeader + size) / pageSize)]
      read(start, overflow, count)
      found.overflows += count
      if (root === free) take(bytesAt(start, count).subarray(pageHeader, pageHeader + size), flags)
    }
  }

  /**
   * Verifies that no page in use is listed as free: it would be overwritten. A list has its length, then pages; a run
   * of pages is preceded by its negative length.
   */
  function checkFree(list: Buffer): void {
    const fault = () => new PageFault('the list of free pages is damaged')
    const length = list.readBigInt64LE()
    if (length < 0n || length * 8n + 8n > list.length) throw fault()
    let count = 1
    for (let at = 8; at <= Number(length) * 8; at += 8) {
      const entry = Number(list.readBigInt64LE(at))
      if (entry < 0) count = -entry
      else {
        if (entry > 0 && (entry < 2 || entry + count - 1 > lastPage)) throw fault()
        for (let page = entry; page < entry + count && entry > 0; page += 1)
          if (isUsed[page] === 1) throw fault()
        count = 1
      }
    }
  }

  function bytesAt(number: number, count = 1): Buffer {
    const bytes = Buffer.allocUnsafe(pageSize * count)
    if (readSync(file.fd, bytes, 0, bytes.length, number * pageSize) < bytes.length)
      throw new PageFault(`page ${number} is truncated`)
    return bytes
  }

  function read(number: number, kind: number, count = 1): Buffer {
    if (!(number >= 2 && number + count - 1 <= lastPage)) throw new PageFault(`page ${number} is missing`)
    for (let each = number; each < number + count; each += 1) {
      if (isUsed[each] === 1) throw new PageFault(`page ${each} is used twice`)
      isUsed[each] = 1
    }
    const page = bytesAt(number)
    const isRight =
      page.readBigUInt64LE(0) === BigInt(number) &&
      page.readBigUInt64LE(8) <= transaction &&
      page.readUInt16LE(18) === kind &&
      (kind !== overflow || page.readUInt32LE(20) === count)
    if (!isRight) throw new PageFault(`page ${number} has the wrong number or type`)
    return page
  }
}

interface Node {
  readonly key: Buffer
  readonly flags: number
  /** In a branch: the page below. */
  readonly below: number
  /** In a leaf: the size of the data, and its part in the page. */
  readonly size: number
  readonly data: Buffer
}

function nodesIn(page: Buffer, number: number, isLeaf: boolean): Node[] {
  const fault = () => new PageFault(`page ${number} has misplaced nodes`)
  const [listEnd, start, end] = [page.readUInt16LE(20), page.readUInt16LE(22), page.length - pageHeader]
  if (listEnd % 2 !== 0 || listEnd === 0 || listEnd > start || start > end) throw fault()
  const nodes: Node[] = []
  let length = 0
  for (let at = 0; at < listEnd; at += 2) {
    const offset = page.readUInt16LE(pageHeader + at)
    if (offset < start || offset + nodeHeader > end) throw fault()
    const node = pageHeader + offset
    const [size, flags, keySize] = [
      page.readUInt32LE(node),
      page.readUInt16LE(node + 4),
      page.readUInt16LE(node + 6),
    ]
    const keyAt = node + nodeHeader
    const dataAt = keyAt + keySize
    const dataSize = isLeaf ? ((flags & onOwnPages) !== 0 ? 24 : size) : 0
    if (dataAt + dataSize > page.length || (isLeaf && flags > isTree)) throw fault()
    // Nodes begin at even places.
    length += nodeHeader + keySize + dataSize
    length += length % 2
    const data = page.subarray(dataAt, dataAt + dataSize)
    nodes.push({ key: page.subarray(keyAt, dataAt), flags, below: size + flags * 2 ** 32, size, data })
  }
  if (length !== end - start) throw fault()
  return nodes
}

/** The keys of the list of free pages are native integers. */
function compareIntegers(a: Buffer, b: Buffer): number {
  if (a.length !== 8 || b.length !== 8) throw new PageFault('the list of free pages is damaged')
  const [first, second] = [a.readBigUInt64LE(), b.readBigUInt64LE()]
  return first < second ? -1 : first > second ? 1 : 0
}
