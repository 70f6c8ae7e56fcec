import { createReadStream, existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { isStoreError, restoreRealm, type Store } from '../../store/index.ts'
import { whyNot } from '../file-text.ts'
import { type Data, openData } from '../serve/data.ts'
import { readDevKeys, writeDevKeys } from '../serve/dev-keys.ts'
import { UserError } from '../user-error.ts'
import { backupHelp, placesIn, readBackupArguments, realms } from './folder.ts'

const about = `Fills new data with what plinth backup saved in a folder, of the same kind or of the other: that is
how a directory moves to PostgreSQL. Stop the server that the backup is of first, or what it writes stays behind.`

/** `plinth restore --data WHERE FOLDER` */
export async function restoreCommand(args: readonly string[]): Promise<void> {
  const read = readBackupArguments('restore', args)
  if (read === undefined) return void process.stdout.write(backupHelp('restore', about))
  const { flags, folder } = read
  const places = placesIn(folder)
  for (const file of realms.map(places.realm)) await mustBeWhole(file, folder)
  const data = await openData(flags, (line) => void process.stderr.write(`${line}\n`))
  try {
    await fill(data, folder, flags.data)
  } finally {
    await data.close()
  }
}

/** A file that was cut off or changed is found before anything is restored: what is packed has a checksum. */
async function mustBeWhole(file: string, folder: string): Promise<void> {
  if (!existsSync(file)) throw new UserError(`${folder} is not what plinth backup made: there is no ${file}`)
  try {
    await pipeline(
      createReadStream(file),
      createGunzip(),
      new Writable({ write: (_bytes, _coding, next) => next() }),
    )
  } catch (error) {
    throw new UserError(`${file} is damaged: ${whyNot(error)}`)
  }
}

async function fill(data: Data, folder: string, where: string): Promise<void> {
  const places = placesIn(folder)
  const stores: (readonly [realm: string, store: Store])[] = []
  for (const realm of realms) stores.push([realm, await data.store(realm)])
  const keys = await readDevKeys(places.devKeys)
  const before = data.devKeys === undefined ? undefined : await readDevKeys(data.devKeys)
  // Nothing is touched unless everything is empty.
  for (const [, store] of stores)
    if (before !== undefined || (await store.head()) > 0)
      throw new UserError(`there is data in ${shown(where)} already: a backup is restored into new data only`)
  try {
    if (existsSync(places.blobs)) await cp(places.blobs, data.blobsFolder, { recursive: true })
  } catch (error) {
    throw new UserError(`cannot copy the uploads to ${data.blobsFolder}: ${whyNot(error)}`)
  }
  for (const [realm, store] of stores) {
    const revision = await restoreFrom(store, places.realm(realm))
    process.stdout.write(`${realm.padEnd(10)} revision ${revision}\n`)
  }
  if (keys === undefined) return
  if (data.devKeys !== undefined) await writeDevKeys(data.devKeys, keys)
  else process.stdout.write(`start the server with --dev-keys and a copy of ${places.devKeys}\n`)
}

async function restoreFrom(store: Store, file: string): Promise<number> {
  try {
    return await pipeline(createReadStream(file), createGunzip(), (text) => restoreRealm(store, text))
  } catch (error) {
    throw new UserError(
      `${file}: ${isStoreError(error) ? error.message : whyNot(error)}; empty the data, and try again`,
    )
  }
}

/** Without the password. */
const shown = (where: string): string => where.replace(/\/\/.*@/, '//…@')
