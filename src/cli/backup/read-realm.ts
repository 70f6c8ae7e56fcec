import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

/**
 * Reads the file of a realm in a backup.
 *
 * @param reading - is called with the size of each piece that was read
 * @param consume - takes the text, and returns the revision
 *
 * @throws the error of `consume`: the streams, which it ends, may fail first with one that says nothing
 */
export async function readRealm(
  file: string,
  reading: (bytes: number) => void,
  consume: (text: AsyncIterable<Uint8Array>) => Promise<number>,
): Promise<number> {
  const source = createReadStream(file).on('data', ({ length }) => reading(length))
  let failure: unknown
  try {
    return await pipeline(source, createGunzip(), (text: AsyncIterable<Uint8Array>) =>
      consume(text).catch((error: unknown) => {
        failure = error
        throw error
      }),
    )
  } catch (error) {
    throw failure ?? error
  }
}
