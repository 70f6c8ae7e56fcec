import type { Answer } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { findProvider, type ProviderAddress } from '../providers/identity.ts'
import { isUsable } from '../providers/usable.ts'
import { boxes } from '../records.ts'
import { type Core, snapshot, tell } from '../service/core.ts'
import type { ProviderDetail } from '../service/details.ts'
import { notFound, type SeeRefusal, seeing, type VersionAddress } from '../service/guard.ts'
import { at, boxId, version } from './arguments.ts'
import { findVersion } from './on-box.ts'

/**
 * The location of a box image.
 */
export type Image =
  | { readonly kind: 'external'; readonly url: string }
  | {
      readonly kind: 'hosted'
      /** Its size in bytes. */
      readonly size: number
      /** Changes with the bytes. */
      readonly etag: string
      readonly lastModified: number
      /** The bytes from `start` (inclusive) to `end` (exclusive); `undefined` if they were deleted meanwhile. */
      readonly open: (range?: {
        readonly start: number
        readonly end: number
      }) => Promise<ReadableStream<Uint8Array> | undefined>
      /** Presigns a URL at which it can be downloaded for 15 minutes; absent if only `open` can read it. */
      readonly address?: (() => Promise<string>) | undefined
    }

/** The content type of an image. */
export const imageType = 'application/octet-stream'

/** The image operations of a caller. */
export const imageOperations = {
  /**
   * Finds the image of a provider, also of an unreleased or revoked version: a release only affects listings.
   *
   * @example await catalog.findImage(version, { name: 'virtualbox' })
   */
  findImage: operation({
    takes: [version, at],
    refuses: seeing,
    run: async (
      core: Core,
      address: VersionAddress,
      at: ProviderAddress,
    ): Promise<Answer<ProviderDetail & { readonly image: Image }, SeeRefusal>> => {
      const located = await findVersion(core, address)
      if (!located.ok) return located
      const { box, version } = located
      const provider = findProvider(version.providers, at)
      if (!provider || !isUsable(provider)) return notFound
      const { url, asset } = provider
      if (asset === null) return { ok: true, value: { box, version, provider, image: external(url) } }
      const { addresses } = core.blobs
      const image: Image = {
        kind: 'hosted',
        size: asset.size,
        etag: `"${asset.blob}"`,
        lastModified: provider.updatedAt,
        open: async (range) => (await core.blobs.get(asset.blob, range))?.body,
        address: addresses && (() => addresses.download(asset.blob, { seconds: 900, type: imageType })),
      }
      return { ok: true, value: { box, version, provider, image } }
    },
  }),
  /**
   * Counts one download of a box. Reads of this catalog include it immediately; it is stored within a second, together
   * with others, and by `close()`. Failures are reported to `onError` and retried with the next commit.
   *
   * @example await catalog.countDownload(boxId)
   */
  countDownload: operation({
    takes: [boxId],
    refuses: [],
    run: async (core: Core, boxId: string): Promise<void> => {
      const box = boxes.find(await snapshot(core), 'id', boxId)?.value
      if (!box) return
      core.tally.note(boxId)
      tell(core, core.caller, { type: 'image.downloaded' }, box)
    },
  }),
}

const external = (url: string | null): Image => {
  if (url === null) throw new Error('a usable provider has a url or an image')
  return { kind: 'external', url }
}
