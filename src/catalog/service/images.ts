import type { Answer } from '../../kernel/index.ts'
import type { Caller } from '../accounts/access.ts'
import { findProvider, type ProviderAddress } from '../providers/identity.ts'
import { isUsable } from '../providers/usable.ts'
import { boxes, downloads } from '../records.ts'
import { type Core, change, snapshot } from './core.ts'
import type { ProviderDetail } from './details.ts'
import { locateVersion, lookupIn, notFound, type SeeRefusal, type VersionAddress } from './guard.ts'

/**
 * Where a box image is.
 *
 * @public
 */
export type Image =
  | { readonly kind: 'external'; readonly url: string }
  | {
      readonly kind: 'hosted'
      /** All of it, in bytes. */
      readonly size: number
      /** Changes with the bytes. */
      readonly etag: string
      readonly lastModified: number
      /** The bytes from `start` (inclusive) to `end` (exclusive); `undefined` if they are gone meanwhile. */
      readonly open: (range?: {
        readonly start: number
        readonly end: number
      }) => Promise<ReadableStream<Uint8Array> | undefined>
    }

/**
 * What a caller can do with images.
 *
 * @public
 */
export interface ImageMethods {
  /**
   * Finds the image of a provider; whatever the version's status, for releasing governs what is listed only.
   */
  readonly findImage: (
    address: VersionAddress,
    at: ProviderAddress,
  ) => Promise<Answer<ProviderDetail & { readonly image: Image }, SeeRefusal>>
  /** Counts one download of a box. One that nobody can count is a download all the same: `onError` hears of it. */
  readonly countDownload: (boxId: string) => Promise<void>
}

export const imageMethods = (core: Core, caller: Caller): ImageMethods => ({
  findImage: async (address, at) => {
    const located = locateVersion(lookupIn(await snapshot(core)), address, caller, 'see')
    if (!located.ok) return located
    const { box, version } = located
    const provider = findProvider(version.providers, at)
    if (!provider || !isUsable(provider)) return notFound
    const { url, asset } = provider
    if (asset === null) return { ok: true, value: { box, version, provider, image: external(url) } }
    const image: Image = {
      kind: 'hosted',
      size: asset.size,
      etag: `"${asset.blob}"`,
      lastModified: provider.updatedAt,
      open: async (range) => (await core.blobs.get(asset.blob, range))?.body,
    }
    return { ok: true, value: { box, version, provider, image } }
  },

  countDownload: async (boxId) => {
    try {
      const counted = await change(core, caller, (tx) => {
        const box = tx.find(boxes, 'id', boxId)?.value
        if (!box) return notFound
        const count = tx.get(downloads, boxId)?.value.count ?? 0
        tx.put(downloads, { boxId, count: count + 1 })
        return { ok: true, value: undefined, events: [{ type: 'image.downloaded' }], box }
      })
      if (!counted.ok && counted.refusal.code === 'contended') throw new Error(counted.refusal.message)
    } catch (error) {
      core.onError(error)
    }
  },
})

const external = (url: string | null): Image => {
  if (url === null) throw new Error('a usable provider has a url or an image')
  return { kind: 'external', url }
}
