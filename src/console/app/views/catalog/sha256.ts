import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** What is hashed at a time: some milliseconds, after which the page answers. */
const sliceBytes = 1024 * 1024

/** Computes the checksum of a file of any size, slice by slice, and tells how far it has come. */
export async function sha256Of(file: Blob, progress: (part: number) => void): Promise<string> {
  const hash = sha256.create()
  for (let at = 0; at < file.size; at += sliceBytes) {
    hash.update(new Uint8Array(await file.slice(at, at + sliceBytes).arrayBuffer()))
    progress(Math.min(1, (at + sliceBytes) / file.size))
  }
  return bytesToHex(hash.digest())
}
