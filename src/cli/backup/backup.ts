import { createWriteStream, existsSync } from 'node:fs'
import { copyFile, cp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { makeDirectory } from '../../store/blobs/make-directory.ts'
import { writeAtomically } from '../../store/blobs/write-atomically.ts'
import { isStoreError, type Store, saveRealm } from '../../store/index.ts'
import { whyNot } from '../file-text.ts'
import { type Data, openData } from '../serve/data.ts'
import { UserError } from '../user-error.ts'
import { backupHelp, placesIn, readBackupArguments, realms } from './folder.ts'

const about = `Saves what a server keeps, also while it runs, in a new folder: a file for each service, the
uploads, and the keys of dev mode, which open everything in it.`

/** `plinth backup --data WHERE FOLDER` */
export async function backupCommand(args: readonly string[]): Promise<void> {
  const read = readBackupArguments('backup', args)
  if (read === undefined) return void process.stdout.write(backupHelp('backup', about))
  const { flags, folder } = read
  if (existsSync(folder)) throw new UserError(`${folder} is there already: a backup goes into a new folder`)
  // Opening it would make it.
  if (!flags.data.includes('://') && !existsSync(flags.data))
    throw new UserError(`there is no data in ${resolve(flags.data)}`)
  const data = await openData(flags, (line) => void process.stderr.write(`${line}\n`))
  try {
    await writeAtomically(resolve(folder), (unfinished) => save(data, unfinished))
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(isStoreError(error) ? error.message : `cannot write to ${folder}: ${whyNot(error)}`)
  } finally {
    await data.close()
  }
}

async function save(data: Data, folder: string): Promise<void> {
  await makeDirectory(folder, 0o700)
  const places = placesIn(folder)
  const stores: (readonly [realm: string, store: Store])[] = []
  for (const realm of realms) stores.push([realm, await data.store(realm)])
  const heads = await Promise.all(stores.map(([, store]) => store.head()))
  if (heads.every((head) => head === 0))
    throw new UserError('no server has kept anything there: is it the right --data?')
  // Records name blobs, so these are copied after them: one more does no harm.
  for (const [realm, store] of stores) {
    const revision = await saveTo(store, places.realm(realm))
    process.stdout.write(`${realm.padEnd(10)} revision ${revision}\n`)
  }
  const kept = join(data.blobsFolder, 'kept')
  if (existsSync(kept)) await cp(kept, join(places.blobs, 'kept'), { recursive: true })
  if (data.devKeys !== undefined && existsSync(data.devKeys)) {
    await copyFile(data.devKeys, places.devKeys)
    process.stdout.write('dev-keys.json opens the secrets in it: keep the folder as safe as them\n')
  }
}

async function saveTo(store: Store, file: string): Promise<number> {
  const zip = createGzip()
  const written = pipeline(zip, createWriteStream(file, { flush: true }))
  const drained = () => new Promise<void>((go) => void zip.once('drain', go))
  const saved = saveRealm(store, (text) => (zip.write(text) ? undefined : Promise.race([drained(), written])))
  const [revision] = await Promise.all([saved.finally(() => zip.end()), written])
  return revision
}
