import { createHash } from 'node:crypto'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { isStoreError, memoryStore, restoreRealm, type Store } from '../../store/index.ts'
import { whyNot } from '../file-text.ts'
import { UserError } from '../user-error.ts'
import { lossOf } from './copy-blobs.ts'
import { filesBelow, placesIn, type Realm, realms, uploads } from './folder.ts'
import { blobNames, type NamedBlob } from './named-blobs.ts'
import { readRealm } from './read-realm.ts'
import { showing } from './tell.ts'

/** What a backup holds, once all of it was read. */
export interface Verified {
  readonly revisions: Readonly<Record<string, number>>
  readonly entries: number
  /** The uploads that the records name: how many are in the backup, and how many are kept elsewhere, in a bucket. */
  readonly uploads: number
  readonly elsewhere: number
}

/**
 * Reads a whole backup: the checksums of its records, and the digests of the uploads that they name.
 *
 * @throws UserError at the first fault
 */
export async function verifyBackup(folder: string, quiet: boolean): Promise<Verified> {
  if (!existsSync(folder)) throw new UserError(`there is no folder ${folder}`)
  const places = placesIn(folder)
  const files = realms.map((realm) => [realm, places.realm(realm)] as const)
  for (const [, file] of files)
    if (!existsSync(file)) throw new UserError(`${folder} is not a backup of plinth: it has no ${file}`)
  const total = files.reduce((sum, [, file]) => sum + statSync(file).size, 0)
  const revisions: Record<string, number> = {}
  const named = new Map<Realm, readonly NamedBlob[]>()
  let [entries, inBackup, elsewhere] = [0, 0, 0]
  await showing('checking', quiet, async (report) => {
    let read = 0
    for (const [realm, file] of files) {
      const names = blobNames(realm)
      const reader: Store = {
        ...memoryStore(),
        import: async (found) => {
          for await (const entry of found) {
            entries += 1
            names.see(entry)
          }
        },
      }
      const reading = (bytes: number) => {
        read += bytes
        report(read, total)
      }
      try {
        revisions[realm] = await readRealm(file, reading, (text) => restoreRealm(reader, text))
      } catch (error) {
        throw new UserError(`${file} is damaged: ${isStoreError(error) ? error.message : whyNot(error)}`)
      }
      named.set(realm, names.all())
    }
  })
  for (const { realm, what, folderOf } of uploads) {
    const wanted = named.get(realm) ?? []
    const directory = folderOf(places.blobs)
    // Uploads in a bucket are not copied.
    if (!existsSync(directory)) elsewhere += wanted.length
    else {
      await showing(what, quiet, (report) => verifyBlobs(directory, wanted, report))
      inBackup += wanted.length
    }
  }
  return { revisions, entries, uploads: inBackup, elsewhere }
}

async function verifyBlobs(
  directory: string,
  wanted: readonly NamedBlob[],
  report: (done: number, total: number) => void,
): Promise<void> {
  const files = new Map((await filesBelow(directory)).map((file) => [file.id, file]))
  const total = wanted.reduce((sum, { bytes }) => sum + bytes, 0)
  const lost: NamedBlob[] = []
  let done = 0
  for (const each of wanted) {
    const file = files.get(each.blob)
    const isWhole = file?.bytes === each.bytes && (await hasDigest(file.path, each.sha256))
    if (!isWhole) lost.push(each)
    done += each.bytes
    report(done, total)
  }
  if (lost.length > 0) throw new UserError(lossOf(lost, directory))
}

async function hasDigest(path: string, sha256: string | undefined): Promise<boolean> {
  if (sha256 === undefined) return true
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex') === sha256
}

/** Prints what was verified: a line for people, or one line of JSON. */
export function tellVerified(folder: string, { revisions, ...verified }: Verified, json: boolean): void {
  if (json) return void process.stdout.write(`${JSON.stringify({ revisions, ...verified })}\n`)
  const { entries, uploads: inBackup, elsewhere } = verified
  const bucket = elsewhere > 0 ? `; ${elsewhere} more uploads are not in it, but in their bucket` : ''
  process.stdout.write(`${folder} is whole: ${entries} records, ${inBackup} uploads${bucket}\n`)
}
