import { reply } from '../../http/index.ts'
import { refuse } from '../../kernel/index.ts'
import { providerOperations } from '../operations/providers.ts'
import { receiveOperations, uploadOperations } from '../operations/uploads.ts'
import type { ProviderAddress } from '../providers/identity.ts'
import { providerBodies } from '../wire/bodies.ts'
import { DirectUploadReply, NothingReply, replies, UploadReply } from '../wire/replies.ts'
import { providerUrl, providerView, voiceOf } from '../wire/views.ts'
import { access, answered, type CatalogContext, define, writing } from './context.ts'

interface ProviderParams {
  readonly provider: string
  readonly architecture?: string | undefined
}

/** The provider that a path refers to. In version 1 it has no architecture, which means the default one of its name. */
const target = ({ provider, architecture }: ProviderParams): ProviderAddress => ({
  name: provider,
  architecture,
})

type Below = `/api/v${1 | 2}/box/:username/:name/version/:version/provider/:provider${'' | '/:architecture'}`

const deleteRoute = (api: 1 | 2, id: string, path: Below, summary: string) =>
  define({
    id,
    method: 'DELETE',
    path,
    summary,
    ...writing,
    runs: [providerOperations.deleteProvider],
    reply: replies[api].Provider,
    handle: async ({ context, params }) =>
      answered(await context.catalog.deleteProvider(params, target(params)), (value) =>
        providerView(voiceOf(api, context), value),
      ),
  })

/** Packer cleans up through version 2 without naming an architecture. */
export const deleteDefaultRoute = deleteRoute(
  2,
  'v2.provider.delete-default',
  '/api/v2/box/:username/:name/version/:version/provider/:provider',
  'Delete the provider of the default architecture with its image',
)

/** Providers and their uploads, in one version of the API. */
export const providerRoutes = (api: 1 | 2) => {
  const voice = (context: CatalogContext) => voiceOf(api, context)
  const policy = { byName: api === 1 }
  const path =
    `/api/v${api}/box/:username/:name/version/:version/provider/:provider${api === 2 ? '/:architecture' : ''}` as const satisfies Below
  return [
    define({
      id: `v${api}.provider.create`,
      method: 'POST',
      path: `/api/v${api}/box/:username/:name/version/:version/providers`,
      summary: 'Add a provider to a version: hosted elsewhere, or to be uploaded',
      ...writing,
      runs: [providerOperations.createProvider],
      reply: replies[api].Provider,
      ...providerBodies[api],
      handle: async ({ context, params, body }) =>
        answered(await context.catalog.createProvider(params, body, policy), (value) =>
          providerView(voice(context), value),
        ),
    }),
    define({
      id: `v${api}.provider.read`,
      method: 'GET',
      path,
      summary: 'Read a provider',
      access: access.read,
      runs: [providerOperations.readProvider],
      reply: replies[api].Provider,
      handle: async ({ context, params }) =>
        answered(await context.catalog.readProvider(params, target(params)), (value) =>
          providerView(voice(context), value),
        ),
    }),
    define({
      id: `v${api}.provider.update`,
      method: 'PUT',
      path,
      summary: 'Change a provider',
      ...writing,
      runs: [providerOperations.updateProvider],
      reply: replies[api].Provider,
      ...providerBodies[api],
      handle: async ({ context, params, body }) =>
        answered(await context.catalog.updateProvider(params, target(params), body, policy), (value) =>
          providerView(voice(context), value),
        ),
    }),
    deleteRoute(api, `v${api}.provider.delete`, path, 'Delete a provider with its image'),
    define({
      id: `v${api}.upload.request`,
      method: 'GET',
      path: `${path}/upload`,
      summary: 'Request an upload URL for the image of a provider',
      ...writing,
      runs: [uploadOperations.requestUpload],
      reply: UploadReply,
      handle: async ({ context, params }) =>
        answered(
          await context.catalog.requestUpload(params, target(params), 'standard', { token: context.token }),
          ({ secret }) => ({
            upload_path: uploadPath(context, secret),
          }),
        ),
    }),
    define({
      id: `v${api}.upload.request-direct`,
      method: 'GET',
      path: `${path}/upload/direct`,
      summary: 'Request an upload URL for the image, and a URL to confirm the upload',
      ...writing,
      runs: [uploadOperations.requestUpload],
      reply: DirectUploadReply,
      handle: async ({ context, params }) =>
        answered(
          await context.catalog.requestUpload(params, target(params), 'direct', { token: context.token }),
          (value) => ({
            upload_path: value.sendTo ?? uploadPath(context, value.secret),
            callback: `${providerUrl(voice(context), value)}/upload/direct/${value.secret}`,
          }),
        ),
    }),
    define({
      id: `v${api}.upload.finalize`,
      method: 'PUT',
      path: `${path}/upload/direct/:secret`,
      summary: 'Confirm an upload: the image becomes that of the provider',
      ...writing,
      runs: [uploadOperations.finalizeUpload],
      reply: replies[api].Provider,
      handle: async ({ context, params }) =>
        answered(await context.catalog.finalizeUpload(params, target(params), params.secret), (value) =>
          providerView(voice(context), value),
        ),
    }),
  ]
}

/** `/api` cannot be a user's name, so this URL collides with no box. */
const uploadPath = ({ base }: CatalogContext, secret: string): string => `${base}/api/upload/${secret}`

/** Receives the bytes of an upload. The URL is the permission; clients send no token there, or any. */
export const uploadRoute = define({
  id: 'upload.receive',
  method: 'PUT',
  path: '/api/upload/:secret',
  summary: 'Upload an image to its upload URL',
  access: access.open,
  runs: [receiveOperations.receiveUpload],
  refusals: ['upload_partial'],
  streams: true,
  reply: NothingReply,
  handle: async ({ context, params, exchange }) => {
    // Some clients resume an upload that broke off with the rest only, which is not an image.
    if (exchange.header('content-range') !== undefined)
      return refuse(
        'upload_partial',
        'Only whole images are accepted: send it from its first byte, without Content-Range',
      )
    const answer = await context.credentials.receiveUpload(params.secret, chunksOf(exchange.body?.stream()))
    return answer.ok ? reply({}) : answer
  },
})

async function* chunksOf(body: ReadableStream<Uint8Array> | undefined): AsyncGenerator<Uint8Array> {
  if (body === undefined) return
  const reader = body.getReader()
  let ended = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      yield value
    }
    ended = true
  } finally {
    if (!ended) await reader.cancel().catch(() => {})
  }
}
