import { type Call, type Reply, raw, redirect } from '../../http/index.ts'
import { markdownBelowTitle } from '../../http/markdown.ts'
import { conditionOf, sliceFor } from '../../http/range.ts'
import { type Answer, type Refused, refuse } from '../../kernel/index.ts'
import { routeOperation } from '../../operation/operation.ts'
import { boxOperations } from '../operations/boxes.ts'
import { imageOperations, imageType } from '../operations/images.ts'
import type { ProviderAddress } from '../providers/identity.ts'
import type { Core } from '../service/core.ts'
import { notFound, type SeeRefusal, seeing, type VersionAddress } from '../service/guard.ts'
import { metadata } from '../wire/replies.ts'
import { vagrantfile } from '../wire/vagrantfile.ts'
import { access, asBox, type CatalogContext, operationRoute } from './context.ts'

/** The refusals of an image download, in addition to those of finding it. */
const fetching = ['image_changed', 'range_outside'] as const
type FetchRefusal = (typeof fetching)[number]

/** Finds an image, and finds it again if another one has replaced it before it is opened. */
const findImage = routeOperation({
  refuses: imageOperations.findImage.refuses,
  run: async (core: Core, address: VersionAddress, at: ProviderAddress) => {
    const again = () => imageOperations.findImage.run(core, address, at)
    const found = await again()
    return found.ok ? { ok: true as const, value: { ...found.value, again } } : found
  },
})
type Found = Extract<
  Awaited<ReturnType<typeof imageOperations.findImage.run>>,
  { readonly ok: true }
>['value']

/** How an image is sent. */
const image = {
  access: access.read,
  refusals: [...fetching, ...seeing],
  run: findImage,
  sends: imageType,
  also: {
    206: { description: 'the requested byte range', sends: imageType },
    302: { description: 'the image is at another address: see Location' },
    304: { description: 'the image has not changed' },
  },
  show: async (
    found: Found & { readonly again: () => Promise<Answer<Found, SeeRefusal>> },
    call: Call<CatalogContext, unknown, unknown>,
  ): Promise<Reply | Refused<FetchRefusal | SeeRefusal>> => {
    const sent = await send(found, call)
    if (sent) return sent
    const again = await found.again()
    return again.ok ? ((await send(again.value, call)) ?? notFound) : again
  },
} as const

/** The endpoints for clients outside the API: metadata and images. */
export const clientRoutes = [
  operationRoute({
    id: 'client.metadata',
    method: 'GET',
    path: '/:username/:name',
    summary: 'Read the metadata of a box, for clients of version 1',
    access: access.read,
    browser: {
      path: ({ username = '', name = '' }) =>
        `/catalog/${encodeURIComponent(username)}/${encodeURIComponent(name)}`,
      content: (body, { base }) => {
        const { name, short_description, description, versions } = metadata[1].parse(JSON.parse(body))
        return {
          title: name,
          about: short_description,
          snippet: vagrantfile(base, name, versions[0]?.version),
          html: markdownBelowTitle(description),
        }
      },
    },
    reply: metadata[1],
    run: boxOperations.readBox,
    with: ({ params }) => [params],
    show: asBox('metadata', 1),
  }),
  operationRoute({
    id: 'client.metadata-v2',
    method: 'GET',
    path: '/api/v2/vagrant/:username/:name',
    summary: 'Read the metadata of a box with its architectures',
    access: access.read,
    reply: metadata[2],
    run: boxOperations.readBox,
    with: ({ params }) => [params],
    show: asBox('metadata', 2),
  }),
  operationRoute({
    id: 'client.download',
    method: 'GET',
    path: '/:username/boxes/:name/versions/:version/providers/:file',
    summary: 'Download the image of a provider for its default architecture',
    ...image,
    with: ({ params }) =>
      params.file.endsWith('.box') ? [params, { name: params.file.slice(0, -'.box'.length) }] : notFound,
  }),
  operationRoute({
    id: 'client.download-v2',
    method: 'GET',
    path: '/:username/boxes/:name/versions/:version/providers/:provider/:architecture/vagrant.box',
    summary: 'Download the image of a provider',
    ...image,
    with: ({ params }) => [params, { name: params.provider, architecture: params.architecture }],
  }),
]

/**
 * Sends an image, or redirects to it; undefined if its bytes were deleted meanwhile. Only a download from the first byte
 * counts: not a HEAD request, and not the rest of an interrupted download.
 */
async function send(
  { box, image }: Found,
  { context: { core }, exchange }: Call<CatalogContext, unknown, unknown>,
): Promise<Reply | Refused<FetchRefusal> | undefined> {
  const count = () => imageOperations.countDownload.run(core, box.id)
  const isFetch = exchange.method === 'GET'
  if (image.kind === 'external') {
    if (isFetch) await count()
    // Headers are ASCII only.
    return redirect(302, new URL(image.url).href)
  }
  const { etag, size } = image
  const headers = {
    'accept-ranges': 'bytes',
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
    if (start === 0) await count()
    return redirect(302, await image.address())
  }
  const body = await image.open({ start, end })
  if (!body) return undefined
  if (start === 0) await count()
  return raw(body, imageType, answer)
}
