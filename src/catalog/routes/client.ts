import { type Call, type Reply, raw, redirect } from '../../http/index.ts'
import { conditionOf, sliceFor } from '../../http/range.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { boxOperations } from '../operations/boxes.ts'
import { imageOperations, imageType } from '../operations/images.ts'
import type { ProviderAddress } from '../providers/identity.ts'
import { notFound, type SeeRefusal, type VersionAddress } from '../service/guard.ts'
import { metadata } from '../wire/replies.ts'
import { access, answeredBox, type CatalogContext, define } from './context.ts'

/** The refusals of an image download, in addition to those of finding it. */
const fetching = ['image_changed', 'range_outside'] as const
type DownloadRefusal = SeeRefusal | (typeof fetching)[number]

/** How an image is sent. */
const image = {
  sends: imageType,
  also: {
    206: { description: 'the requested byte range', sends: imageType },
    302: { description: 'the image is at another address: see Location' },
    304: { description: 'the image has not changed' },
  },
} as const

/** The endpoints for clients outside the API: metadata and images. */
export const clientRoutes = [
  define({
    id: 'client.metadata',
    method: 'GET',
    path: '/:username/:name',
    summary: 'Read the metadata of a box, for clients of version 1',
    access: access.read,
    runs: [boxOperations.readBox],
    reply: metadata[1],
    handle: async ({ context, params }) =>
      answeredBox(context, await context.catalog.readBox(params), 'metadata', 1),
  }),
  define({
    id: 'client.metadata-v2',
    method: 'GET',
    path: '/api/v2/vagrant/:username/:name',
    summary: 'Read the metadata of a box with its architectures',
    access: access.read,
    runs: [boxOperations.readBox],
    reply: metadata[2],
    handle: async ({ context, params }) =>
      answeredBox(context, await context.catalog.readBox(params), 'metadata', 2),
  }),
  define({
    id: 'client.download',
    method: 'GET',
    path: '/:username/boxes/:name/versions/:version/providers/:file',
    summary: 'Download the image of a provider for its default architecture',
    access: access.read,
    runs: [imageOperations.findImage],
    refusals: fetching,
    ...image,
    handle: async (call) => {
      const { file } = call.params
      if (!file.endsWith('.box')) return notFound
      return download(call, call.params, { name: file.slice(0, -'.box'.length) })
    },
  }),
  define({
    id: 'client.download-v2',
    method: 'GET',
    path: '/:username/boxes/:name/versions/:version/providers/:provider/:architecture/vagrant.box',
    summary: 'Download the image of a provider',
    access: access.read,
    runs: [imageOperations.findImage],
    refusals: fetching,
    ...image,
    handle: (call) => {
      const { provider, architecture } = call.params
      return download(call, call.params, { name: provider, architecture })
    },
  }),
]

/**
 * Sends an image, or redirects to it. Only a download from the first byte counts: not a HEAD request, and not the rest
 * of an interrupted download.
 */
async function download(
  call: Call<CatalogContext, unknown, unknown>,
  address: VersionAddress,
  at: ProviderAddress,
): Promise<Reply | Refused<DownloadRefusal>> {
  // Another image may replace the one that was found before it is opened: look it up once more.
  return (await send(call, address, at)) ?? (await send(call, address, at)) ?? notFound
}

/** Sends the current image; undefined if its bytes were deleted meanwhile. */
async function send(
  { context, exchange }: Call<CatalogContext, unknown, unknown>,
  address: VersionAddress,
  at: ProviderAddress,
): Promise<Reply | Refused<DownloadRefusal> | undefined> {
  const found = await context.catalog.findImage(address, at)
  if (!found.ok) return found
  const { box, image } = found.value
  const isFetch = exchange.method === 'GET'
  if (image.kind === 'external') {
    if (isFetch) await context.catalog.countDownload(box.id)
    // Headers are ASCII only.
    return redirect(302, new URL(image.url).href)
  }
  const { etag, size } = image
  const headers = {
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    etag,
    'last-modified': new Date(image.lastModified).toUTCString(),
  }
  const condition = conditionOf(exchange, image)
  if (condition === 'unchanged') return { status: 304, headers }
  if (condition === 'changed')
    return refuse('image_changed', 'The image does not match the condition of the request', { headers })
  const slice = sliceFor(exchange, image)
  if (slice.kind === 'outside')
    return refuse('range_outside', `The image has ${size} bytes: the range is outside of it`, {
      headers: { ...headers, 'content-range': `bytes */${size}` },
    })
  const { start, end } = slice
  const whole = slice.kind === 'whole'
  const answer = {
    status: whole ? 200 : 206,
    headers: {
      ...headers,
      'content-length': String(end - start),
      'content-type': imageType,
      ...(whole ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
    },
  }
  if (!isFetch) return answer
  if (image.address) {
    if (start === 0) await context.catalog.countDownload(box.id)
    return redirect(302, await image.address())
  }
  const body = await image.open({ start, end })
  if (!body) return undefined
  if (start === 0) await context.catalog.countDownload(box.id)
  return raw(body, imageType, answer)
}
