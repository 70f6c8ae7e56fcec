import { open } from 'node:fs/promises'
import { StoreError } from '../port/errors.ts'

// Two copies of the meta page begin an LMDB file. Offsets within each, for 64-bit builds of lmdb-js:
const magicAt = 24
const versionAt = 28
const pageSizeAt = 48
const freeRootAt = 88
const mainRootAt = 136
const transactionAt = 152

const magic = 0xbeefc0de
const noPage = 0xffff_ffff_ffff_ffffn

/**
 * Makes sure that a file is what the engine can map: it maps first and asks later, and a file that is something else,
 * or was cut off, ends the process.
 */
export async function checkFile(path: string): Promise<void> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (file === undefined) return
  try {
    if ((await file.stat()).size === 0) return
    const first = await metaAt(0)
    if (first === undefined || first.magic !== magic)
      throw new StoreError(
        'foreign',
        `${path} is not a store: it is some other file, or its beginning is damaged`,
      )
    if (first.version !== 2)
      throw new StoreError('wrong_schema', `${path} has LMDB format ${first.version}; version 2 is read`)
    const second = await metaAt(first.pageSize)
    const newest = second !== undefined && second.transaction > first.transaction ? second : first
    // After the meta pages: another process may be writing, and its pages come before the meta page that names them.
    const { size } = await file.stat()
    const isThere = (page: bigint) => page === noPage || (page + 1n) * BigInt(first.pageSize) <= BigInt(size)
    if (second?.magic !== magic || !isThere(newest.freeRoot) || !isThere(newest.mainRoot))
      throw new StoreError('corrupt', `${path} is damaged or cut off: restore a backup`)
  } finally {
    await file.close()
  }

  async function metaAt(offset: number) {
    const bytes = Buffer.alloc(transactionAt + 8)
    const { bytesRead } = (await file?.read(bytes, 0, bytes.length, offset)) ?? { bytesRead: 0 }
    if (bytesRead < bytes.length) return undefined
    return {
      magic: bytes.readUInt32LE(magicAt),
      version: bytes.readUInt32LE(versionAt),
      pageSize: bytes.readUInt32LE(pageSizeAt),
      freeRoot: bytes.readBigUInt64LE(freeRootAt),
      mainRoot: bytes.readBigUInt64LE(mainRootAt),
      transaction: bytes.readBigUInt64LE(transactionAt),
    }
  }
}
