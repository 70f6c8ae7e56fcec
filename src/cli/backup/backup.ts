import { createWriteStream, existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { directoryBlobs } from '../../store/blobs/directory.ts'
import { makeDirectory } from '../../store/blobs/make-directory.ts'
import { writeAtomically } from '../../store/blobs/write-atomically.ts'
import { isStoreError, type Store, saveRealm } from '../../store/index.ts'
import type { FlagValues } from '../command/declaration.ts'
import { whyNot } from '../file-text.ts'
import { isBucket } from '../serve/bucket.ts'
import { checkDataPlace, type Data, openData } from '../serve/data.ts'
import { standardErrorLog } from '../serve/log.ts'
import { durablePlaces } from '../serve/places.ts'
import { UserError } from '../user-error.ts'
import { insistRestored } from './claim.ts'
import { copyNamed } from './copy-blobs.ts'
import { type backupFlags, dataOf } from './flags.ts'
import { existingFile, placesIn, type Realm, realms, uploads } from './folder.ts'
import { blobNames, type NamedBlob, watched } from './named-blobs.ts'
import { showing, tellRevisions } from './tell.ts'
import { tellVerified, verifyBackup } from './verify.ts'

/** `plinth backup --data WHERE FOLDER` */
export async function backupCommand(given: FlagValues<typeof backupFlags>, folder: string): Promise<void> {
  const { data: where, json } = given
  if (where === undefined) {
    if (!given.verify) throw new UserError(`name the data of the server: --data ${durablePlaces}`, 2)
    return tellVerified(folder, await verifyBackup(folder, json), json)
  }
  const flags = dataOf({ ...given, data: where })
  if (existsSync(folder)) throw new UserError(`${folder} already exists: a backup needs a new folder`)
  if (!flags.data.includes('://')) existingFile(flags.data)
  await checkDataPlace(flags.data)
  const data = await openData(flags, standardErrorLog('text'))
  try {
    await writeAtomically(resolve(folder), async (unfinished) => {
      await save(data, unfinished, json)
      if (given.verify) await verifyBackup(unfinished, json)
    })
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(isStoreError(error) ? error.message : `cannot write to ${folder}: ${whyNot(error)}`)
  } finally {
    await data.close()
  }
}

const noData = 'no server has stored data there: is --data right?'

async function save(data: Data, folder: string, json: boolean): Promise<void> {
  await makeDirectory(folder, 0o700)
  await insistRestored(data)
  const places = placesIn(folder)
  const stores = new Map<Realm, { readonly store: Store; readonly head: number }>()
  let heads = 0
  for (const realm of realms) {
    const store = await data.store(realm)
    const head = await store.head()
    stores.set(realm, { store, head })
    heads += head
  }
  if (heads === 0) throw new UserError(noData)
  const revisions: Record<string, number> = {}
  const named = new Map<Realm, readonly NamedBlob[]>()
  const saveNamed = async (realm: Realm, store: Store, saving: (entries: number) => void) => {
    const names = blobNames(realm)
    revisions[realm] = await saveTo(watched(store, names.see), places.realm(realm), saving)
    return names.all()
  }
  await showing('records', json, async (report) => {
    let before = 0
    for (const [realm, { store, head }] of stores) {
      // A realm has at most as many entries as revisions; their number is known only at the end.
      const saving = (entries: number) => report(before + Math.min(entries, head), heads)
      named.set(realm, await saveNamed(realm, store, saving))
      before += head
      report(before, heads)
    }
  })
  const isInBucket = isBucket(data.blobsAt)
  for (const { realm, what, blobs, folderOf } of uploads) {
    const [first, opened] = [named.get(realm) ?? [], stores.get(realm)]
    if (first.length === 0 || opened === undefined) continue
    const copy = {
      named: first,
      saveAgain: () => saveNamed(realm, opened.store, () => {}),
      from: { blobs: data[blobs], at: data.blobsAt },
      to: isInBucket ? undefined : await directoryBlobs(folderOf(places.blobs)),
    }
    await showing(what, json, (report) => copyNamed(copy, report))
  }
  if (isInBucket && !json)
    process.stdout.write('the uploads stay in their bucket: keep its versions, or copy it yourself\n')
  tellRevisions(revisions, json)
  if (data.devKeys !== undefined && existsSync(data.devKeys)) {
    await copyFile(data.devKeys, places.devKeys)
    if (!json)
      process.stdout.write(
        'dev-keys.json unseals the secrets in it: protect the folder like the secrets themselves\n',
      )
  }
}

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
