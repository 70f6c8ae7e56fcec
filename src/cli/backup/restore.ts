import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Blobs, isStoreError, restoreRealm, type Store } from '../../store/index.ts'
import type { FlagValues } from '../command/declaration.ts'
import { whyNot } from '../file-text.ts'
import { checkDataPlace, type Data, openData, within } from '../serve/data.ts'
import { keepDevKeys, readDevKeys } from '../serve/dev-keys.ts'
import { standardErrorLog } from '../serve/log.ts'
import { UserError } from '../user-error.ts'
import { claimData, isClaimed } from './claim.ts'
import { copyAll } from './copy-blobs.ts'
import { dataOf, type restoreFlags } from './flags.ts'
import { placesIn, realms, uploads } from './folder.ts'
import { readRealm } from './read-realm.ts'
import { showing, tellRevisions } from './tell.ts'
import { verifyBackup } from './verify.ts'

/** `plinth restore --data WHERE FOLDER` */
export async function restoreCommand(given: FlagValues<typeof restoreFlags>, folder: string): Promise<void> {
  const flags = dataOf(given)
  await verifyBackup(folder, given.json)
  await checkDataPlace(flags.data)
  const data = await openData(flags, standardErrorLog('text'))
  try {
    await within(data.own, (own) => fill(data, own, folder, flags.data, given.json))
  } finally {
    await data.close()
  }
}

async function fill(data: Data, own: Store, folder: string, where: string, json: boolean): Promise<void> {
  const places = placesIn(folder)
  const stores: (readonly [realm: string, store: Store])[] = []
  for (const realm of realms) stores.push([realm, await data.store(realm)])
  const keys = await readDevKeys(places.devKeys)
  const before = data.devKeys === undefined ? undefined : await readDevKeys(data.devKeys)
  const isHalf = await isClaimed(own)
  // Nothing is changed unless everything is empty.
  const insistEmpty = async () => {
    if (await data.isServed())
      throw new UserError(`a server runs on ${shown(where)}: stop it, and restore into new data`)
    for (const [, store] of stores)
      if (before !== undefined || (await isWritten(store)))
        throw new UserError(
          isHalf
            ? `another restore into ${shown(where)} is ending, or was interrupted there: then empty it, and restore again`
            : `there is data in ${shown(where)} already: restore a backup into new data`,
        )
  }
  // Before the claim as well: data that a server uses must not be left with one.
  await insistEmpty()
  const claim = await claimData(own)
  /** From then on some realms may be restored and others not. */
  let isEnding = false
  try {
    await insistEmpty()
    for (const { what, blobs, folderOf } of uploads)
      await restoreBlobs(folderOf(places.blobs), data[blobs], what, json).catch((error: unknown) => {
        throw new UserError(`cannot copy the ${what} to ${data.blobsAt}: ${whyNot(error)}`)
      })
    // Blobs come before the realms, which need them.
    const kept = keys && data.devKeys !== undefined ? await keepDevKeys(data.devKeys, keys) : undefined
    const revisions: Record<string, number> = Object.fromEntries(realms.map((realm) => [realm, 0]))
    const bytes = realms.reduce((sum, realm) => sum + statSync(places.realm(realm)).size, 0)
    await showing('records', json, async (report) => {
      let read = 0
      const reading = (piece: number) => {
        read += piece
        report(read, bytes)
      }
      const { allRead, giveUp } = meetingOf(stores.length, async () => {
        await claim.insist()
        isEnding = true
      })
      // An interrupted restore must leave no realm that looks complete beside an incomplete one: all are read before
      // any is completed.
      const restored = await Promise.allSettled(
        stores.map(async ([realm, store]) => {
          revisions[realm] = await restoreFrom(store, places.realm(realm), reading, allRead).catch(giveUp)
        }),
      )
      for (const each of restored) if (each.status === 'rejected') throw each.reason
    })
    await data.recordBlobs()
    if (kept) await kept.settle()
    isEnding = false
    tellRevisions(revisions, json)
    if (keys !== undefined && !kept && !json)
      process.stdout.write(`start the server with --dev-keys and a copy of ${places.devKeys}\n`)
  } finally {
    if (!isEnding) await claim.release()
  }
}

async function restoreBlobs(from: string, to: Blobs, what: string, json: boolean): Promise<void> {
  if (existsSync(join(from, 'kept'))) await showing(what, json, (report) => copyAll(from, to, report))
}

/** Whether a realm has data. An interrupted restore leaves it incomplete: another one starts over. */
async function isWritten(store: Store): Promise<boolean> {
  try {
    return (await store.head()) > 0
  } catch (error) {
    if (isStoreError(error, 'locked')) return false
    throw error
  }
}

/** A barrier for a number of tasks: none continues before all have arrived and `then` is done, or after one has failed. */
function meetingOf(count: number, then: () => Promise<void>) {
  let missing = count
  let [open, fail] = [() => {}, (_: unknown) => {}]
  const met = new Promise<void>((resolve, reject) => {
    open = resolve
    fail = reject
  })
  met.catch(() => undefined)
  return {
    allRead: (): Promise<void> => {
      missing -= 1
      if (missing === 0) then().then(open, fail)
      return met
    },
    giveUp: (error: unknown): never => {
      fail(error)
      throw error
    },
  }
}

async function restoreFrom(
  store: Store,
  file: string,
  reading: (bytes: number) => void,
  allRead: () => Promise<void>,
): Promise<number> {
  const untilAllAreRead = async function* (text: AsyncIterable<Uint8Array>) {
    yield* text
    await allRead()
  }
  try {
    return await readRealm(file, reading, (text) => restoreRealm(store, untilAllAreRead(text)))
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(
      `${file}: ${isStoreError(error) ? error.message : whyNot(error)}; empty the data, and try again`,
    )
  }
}

/** Without the password. */
const shown = (where: string): string => where.replace(/\/\/.*@/, '//…@')
