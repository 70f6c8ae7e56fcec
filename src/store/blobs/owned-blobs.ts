import { parsedJson } from '../../kernel/decoded.ts'
import { StoreError } from '../port/errors.ts'
import type { RealmOwner } from '../realm/realm-owner.ts'
import type { Blobs } from './blobs.ts'

/** The blob that says whose a blob store is. */
export const ownerBlob = 'plinth-owner'

/**
 * The blob store of one realm: its first write says whose it is, and writes, deletions and lists of a store that belongs
 * to another realm are refused.
 *
 * @param owner - the realm's owner record, which is written if there is none
 */
export function ownedBlobs(blobs: Blobs, owner: () => Promise<RealmOwner>): Blobs {
  const expectOwn = async () => {
    const { service, realm } = await owner()
    const found = await blobs.get(ownerBlob)
    if (found === undefined) {
      const text = JSON.stringify({ service, realm })
      await blobs.put(ownerBlob, new Blob([text]).stream())
      return
    }
    const other = ownerFrom(await new Response(found.body).text())
    if (other?.service === service && other.realm === realm) return
    const whose =
      other === undefined
        ? 'another program'
        : other.service === service
          ? `the ${service} service of another realm`
          : `the ${other.service} service`
    throw new StoreError(
      'foreign',
      `this blob store belongs to ${whose}: give the ${service} service one of its own, or, if no other service uses it any more, delete the blob ${ownerBlob}`,
    )
  }
  let checked: Promise<void> | undefined
  const once = () => {
    checked ??= expectOwn().catch((error: unknown) => {
      checked = undefined
      throw error
    })
    return checked
  }
  const { addresses } = blobs
  return {
    put: async (id, body, options) => {
      await once()
      return blobs.put(id, body, options)
    },
    get: (id, range) => blobs.get(id, range),
    delete: async (id) => {
      await once()
      return blobs.delete(id)
    },
    list: async function* () {
      // Lists are for sweeping: another service may have claimed the store at the same time as this one.
      await expectOwn()
      for await (const id of blobs.list()) if (id !== ownerBlob) yield id
    },
    addresses: addresses && {
      download: (id, options) => addresses.download(id, options),
      upload: async (id, options) => {
        await once()
        return addresses.upload(id, options)
      },
    },
  }
}

function ownerFrom(text: string): RealmOwner | undefined {
  const read = parsedJson(text)
  return isOwner(read) ? read : undefined
}

const isOwner = (read: unknown): read is RealmOwner =>
  typeof read === 'object' &&
  read !== null &&
  'service' in read &&
  typeof read.service === 'string' &&
  'realm' in read &&
  typeof read.realm === 'string'
