import { type FileHandle, open } from 'node:fs/promises'
import { StoreError } from '../port/errors.ts'

// Two copies of the meta page begin an LMDB file. Offsets within each, for 64-bit builds of lmdb-js:
const magicAt = 24
const versionAt = 28
const freeAt = 48
const mainAt = 96
const lastPageAt = 144
const transactionAt = 152

const magic = 0xbeefc0de
const noPage = 0xffff_ffff_ffff_ffffn

/** The record of one of the file's trees: the list of free pages, the list of tables, or a table. */
export interface Tree {
  /** The number of pages from the root down to a leaf. */
  readonly depth: number
  readonly branches: number
  readonly leaves: number
  readonly overflows: number
  readonly entries: number
  /** The root page; missing in an empty tree. */
  readonly page: number | undefined
}

/** Parses the 48-byte record of a tree. */
export function treeIn(bytes: Buffer): Tree {
  const number = (at: number) => Number(bytes.readBigUInt64LE(at))
  return {
    depth: bytes.readUInt16LE(6),
    branches: number(8),
    leaves: number(16),
    overflows: number(24),
    entries: number(32),
    page: bytes.readBigUInt64LE(40) === noPage ? undefined : number(40),
  }
}

/** Both meta pages, if the file is long enough. */
export async function metasOf(file: FileHandle) {
  for (;;) {
    const first = await metaAt(0)
    const second = first && (await metaAt(first.pageSize))
    const newest = first && second && second.transaction > first.transaction ? second : first
    // Another process may have overwritten one in between.
    if ((await metaAt(0))?.transaction === first?.transaction) return { first, second, newest }
  }

  async function metaAt(offset: number) {
    const bytes = Buffer.alloc(transactionAt + 8)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset)
    if (bytesRead < bytes.length) return undefined
    return {
      magic: bytes.readUInt32LE(magicAt),
      version: bytes.readUInt32LE(versionAt),
      // A placeholder for fields that the list of free pages does not need.
      pageSize: bytes.readUInt32LE(freeAt),
      free: treeIn(bytes.subarray(freeAt)),
      main: treeIn(bytes.subarray(mainAt)),
      lastPage: Number(bytes.readBigUInt64LE(lastPageAt)),
      transaction: bytes.readBigUInt64LE(transactionAt),
    }
  }
}

/**
 * Verifies that the engine can map a file: it maps before it checks, and a file of another kind, or a truncated one,
 * ends the process.
 */
export async function checkFile(path: string): Promise<void> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (file === undefined) return
  try {
    if ((await file.stat()).size === 0) return
    const { first, second, newest } = await metasOf(file)
    if (first?.magic !== magic || newest === undefined)
      throw new StoreError(
        'foreign',
        `${path} is not a store: it is another kind of file, or its header is damaged`,
      )
    if (first.version !== 2)
      throw new StoreError(
        'wrong_schema',
        `${path} has LMDB format ${first.version}; only version 2 is supported`,
      )
    // Read after the meta pages: another process may be writing, and writes pages before the meta page that refers
    // to them.
    const { size } = await file.stat()
    const isThere = ({ page }: Tree) => page === undefined || (page + 1) * first.pageSize <= size
    if (second?.magic !== magic || !isThere(newest.free) || !isThere(newest.main))
      throw new StoreError('corrupt', `${path} is damaged or truncated: restore a backup`)
  } finally {
    await file.close()
  }
}
