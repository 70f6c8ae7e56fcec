import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** The bytes per slice: some milliseconds, after which the page responds. */
const sliceBytes = 1024 * 1024

/** Computes the checksum of a file of any size in slices, and reports the progress. */
export async function sha256Of(file: Blob, progress: (part: number) => void): Promise<string> {
  const hash = sha256.create()
  for (let at = 0; at < file.size; at += sliceBytes) {
    hash.update(new Uint8Array(await file.slice(at, at + sliceBytes).arrayBuffer()))
    progress(Math.min(1, (at + sliceBytes) / file.size))
  }
  return bytesToHex(hash.digest())
}
