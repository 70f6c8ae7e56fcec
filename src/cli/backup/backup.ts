import { createWriteStream, existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { makeDirectory } from '../../store/blobs/make-directory.ts'
import { writeAtomically } from '../../store/blobs/write-atomically.ts'
import { isStoreError, type Store, saveRealm } from '../../store/index.ts'
import type { FlagValues } from '../command/declaration.ts'
import { whyNot } from '../file-text.ts'
import { archivesIn, type Data, openData } from '../serve/data.ts'
import { standardErrorLog } from '../serve/log.ts'
import { UserError } from '../user-error.ts'
import { copyFolder } from './copy-folder.ts'
import { type backupFlags, dataOf } from './flags.ts'
import { localRealms, placesIn, realms } from './folder.ts'
import { showing, tellRevisions } from './tell.ts'

/** `plinth backup --data WHERE FOLDER` */
export async function backupCommand(given: FlagValues<typeof backupFlags>, folder: string): Promise<void> {
  const flags = dataOf(given)
  if (existsSync(folder)) throw new UserError(`${folder} already exists: a backup needs a new folder`)
  checkThereIsData(flags.data)
  const data = await openData(flags, standardErrorLog('text'))
  try {
    await writeAtomically(resolve(folder), (unfinished) => save(data, unfinished, given.json))
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(isStoreError(error) ? error.message : `cannot write to ${folder}: ${whyNot(error)}`)
  } finally {
    await data.close()
  }
}

/** Does not open the stores, because that would create files in a directory that was named by mistake. */
function checkThereIsData(where: string): void {
  if (where.includes('://')) return
  const { path, found } = localRealms(where)
  if (!existsSync(path)) throw new UserError(`there is no data in ${path}`)
  if (found.length === 0) throw new UserError(noData)
}

const noData = 'no server has stored data there: is --data right?'

async function save(data: Data, folder: string, json: boolean): Promise<void> {
  await makeDirectory(folder, 0o700)
  const places = placesIn(folder)
  const stores: (readonly [realm: string, store: Store, head: number])[] = []
  for (const realm of realms) {
    const store = await data.store(realm)
    stores.push([realm, store, await store.head()])
  }
  const heads = stores.reduce((sum, [, , head]) => sum + head, 0)
  if (heads === 0) throw new UserError(noData)
  const revisions: Record<string, number> = {}
  // Records refer to blobs, so these are copied later: an extra one is harmless.
  await showing('records', json, async (report) => {
    let before = 0
    for (const [realm, store, head] of stores) {
      // A realm has at most as many entries as revisions; their number is known only at the end.
      const saving = (entries: number) => report(before + Math.min(entries, head), heads)
      revisions[realm] = await saveTo(store, places.realm(realm), saving)
      before += head
      report(before, heads)
    }
  })
  const { blobsFolder } = data
  if (blobsFolder === undefined) tellBucket(json)
  else
    for (const [what, folderOf] of uploads) {
      const kept = join(folderOf(blobsFolder), 'kept')
      if (existsSync(kept))
        await showing(what, json, (report) => copyFolder(kept, join(folderOf(places.blobs), 'kept'), report))
    }
  tellRevisions(revisions, json)
  if (data.devKeys !== undefined && existsSync(data.devKeys)) {
    await copyFile(data.devKeys, places.devKeys)
    if (!json)
      process.stdout.write(
        'dev-keys.json unseals the secrets in it: protect the folder like the secrets themselves\n',
      )
  }
}

const tellBucket = (json: boolean): void => {
  if (!json)
    process.stdout.write('the uploads stay in their bucket: keep its versions, or copy it yourself\n')
}

/** What is copied besides the records, and where it is below the directory of blobs. */
const uploads = [
  ['uploads', (blobs: string) => blobs],
  ['modules', archivesIn],
] as const

async function saveTo(store: Store, file: string, saving: (entries: number) => void): Promise<number> {
  const zip = createGzip()
  const written = pipeline(zip, createWriteStream(file, { flush: true }))
  const drained = () => new Promise<void>((go) => void zip.once('drain', go))
  const saved = saveRealm(
    store,
    (text) => (zip.write(text) ? undefined : Promise.race([drained(), written])),
    { onProgress: ({ entries }) => saving(entries) },
  )
  const [revision] = await Promise.all([saved.finally(() => zip.end()), written])
  return revision
}
