import type { Answer, Timers } from '../../kernel/index.ts'
import { type Tally, tally } from '../../store/background/tally.ts'
import { transact } from '../../store/index.ts'
import type { Caller } from '../accounts/access.ts'
import { findProvider, type ProviderAddress } from '../providers/identity.ts'
import { isUsable } from '../providers/usable.ts'
import { boxes, downloads } from '../records.ts'
import { type Core, snapshot, tell } from './core.ts'
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
  /**
   * Counts one download of a box. Reads of this catalog count it at once; it is stored within a second, together with
   * others, and by `close()`. What cannot be stored is told to `onError`, and tried again with the next.
   */
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
    const box = boxes.find(await snapshot(core), 'id', boxId)?.value
    if (!box) return
    core.tally.note(boxId)
    tell(core, caller, [{ type: 'image.downloaded' }], core.env().now, box)
  },
})

/** Counts downloads by box, without making them wait. */
export const countingDownloads = (
  core: Pick<Core, 'view' | 'env' | 'onError'> & { readonly timers: Timers },
): Tally =>
  tally({
    timers: core.timers,
    onError: core.onError,
    store: async (counts) => {
      await transact(
        await core.view(),
        () => core.env().newId('commit'),
        (tx) => {
          for (const [boxId, count] of counts) {
            // A box that was deleted needs no count.
            if (!tx.find(boxes, 'id', boxId)) continue
            const before = tx.get(downloads, boxId)?.value.count ?? 0
            tx.put(downloads, { boxId, count: before + count })
          }
        },
      )
    },
  })

const external = (url: string | null): Image => {
  if (url === null) throw new Error('a usable provider has a url or an image')
  return { kind: 'external', url }
}
