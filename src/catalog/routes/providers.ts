import { reply } from '../../http/index.ts'
import { refuse } from '../../kernel/index.ts'
import { providerOperations } from '../operations/providers.ts'
import { receiveOperations, uploadOperations } from '../operations/uploads.ts'
import type { ProviderAddress } from '../providers/identity.ts'
import { providerBodies } from '../wire/bodies.ts'
import { DirectUploadReply, NothingReply, replies, UploadReply } from '../wire/replies.ts'
import { providerUrl, providerView, voiceOf } from '../wire/views.ts'
import {
  access,
  asSpelled,
  type CatalogContext,
  credentialRoute,
  operationRoute,
  writing,
} from './context.ts'

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
  operationRoute({
    id,
    method: 'DELETE',
    path,
    summary,
    ...writing,
    reply: replies[api].Provider,
    run: providerOperations.deleteProvider,
    with: ({ params }) => [params, target(params)],
    show: asSpelled(api, providerView),
  })

/** Packer cleans up through version 2 without naming an architecture. */
export const deleteDefaultRoute = deleteRoute(
  2,
  'v2.provider.delete-default',
  '/api/v2/box/:username/:name/version/:version/provider/:provider',
  'Delete the provider of the default architecture with its image',
)

const pathOf = (api: 1 | 2) =>
  `/api/v${api}/box/:username/:name/version/:version/provider/:provider${api === 2 ? '/:architecture' : ''}` as const satisfies Below

const shownAs = (api: 1 | 2) =>
  ({ reply: replies[api].Provider, show: asSpelled(api, providerView) }) as const

/** How clients ask for an upload URL, and confirm an upload. */
const uploadRoutes = (api: 1 | 2) => {
  const path = pathOf(api)
  return [
    operationRoute({
      id: `v${api}.upload.request`,
      method: 'GET',
      path: `${path}/upload`,
      summary: 'Request an upload URL for the image of a provider',
      ...writing,
      reply: UploadReply,
      run: uploadOperations.requestUpload,
      with: ({ context: { token }, params }) => [params, target(params), 'standard' as const, { token }],
      show: ({ secret }, { context }) => reply({ upload_path: uploadPath(context, secret) }),
    }),
    operationRoute({
      id: `v${api}.upload.request-direct`,
      method: 'GET',
      path: `${path}/upload/direct`,
      summary: 'Request an upload URL for the image, and a URL to confirm the upload',
      ...writing,
      reply: DirectUploadReply,
      run: uploadOperations.requestUpload,
      with: ({ context: { token }, params }) => [params, target(params), 'direct' as const, { token }],
      show: (value, { context }) =>
        reply({
          upload_path: value.sendTo ?? uploadPath(context, value.secret),
          callback: `${providerUrl(voiceOf(api, context), value)}/upload/direct/${value.secret}`,
        }),
    }),
    operationRoute({
      id: `v${api}.upload.finalize`,
      method: 'PUT',
      path: `${path}/upload/direct/:secret`,
      summary: 'Confirm an upload: the image becomes that of the provider',
      ...writing,
      ...shownAs(api),
      run: uploadOperations.finalizeUpload,
      with: ({ params }) => [params, target(params), params.secret],
    }),
  ]
}

/** Providers and their uploads, in one version of the API. */
export const providerRoutes = (api: 1 | 2) => {
  const shown = shownAs(api)
  const policy = { byName: api === 1 }
  const path = pathOf(api)
  return [
    operationRoute({
      id: `v${api}.provider.create`,
      method: 'POST',
      path: `/api/v${api}/box/:username/:name/version/:version/providers`,
      summary: 'Add a provider to a version: hosted elsewhere, or to be uploaded',
      ...writing,
      ...shown,
      ...providerBodies[api],
      run: providerOperations.createProvider,
      with: ({ params, body }) => [params, body, policy],
    }),
    operationRoute({
      id: `v${api}.provider.read`,
      method: 'GET',
      path,
      summary: 'Read a provider',
      access: access.read,
      ...shown,
      run: providerOperations.readProvider,
      with: ({ params }) => [params, target(params)],
    }),
    operationRoute({
      id: `v${api}.provider.update`,
      method: 'PUT',
      path,
      summary: 'Change a provider',
      ...writing,
      ...shown,
      ...providerBodies[api],
      run: providerOperations.updateProvider,
      with: ({ params, body }) => [params, target(params), body, policy],
    }),
    deleteRoute(api, `v${api}.provider.delete`, path, 'Delete a provider with its image'),
    ...uploadRoutes(api),
  ]
}

/** `/api` cannot be a user's name, so this URL collides with no box. */
const uploadPath = ({ base }: CatalogContext, secret: string): string => `${base}/api/upload/${secret}`

/** Receives the bytes of an upload. The URL is the permission; clients send no token there, or any. */
export const uploadRoute = credentialRoute({
  id: 'upload.receive',
  method: 'PUT',
  path: '/api/upload/:secret',
  summary: 'Upload an image to its upload URL',
  access: access.open,
  refusals: ['upload_partial'],
  streams: true,
  reply: NothingReply,
  run: receiveOperations.receiveUpload,
  with: ({ params, exchange }) =>
    // Some clients resume an upload that broke off with the rest only, which is not an image.
    exchange.header('content-range') === undefined
      ? [params.secret, chunksOf(exchange.body?.stream())]
      : refuse(
          'upload_partial',
          'Only whole images are accepted: send it from its first byte, without Content-Range',
        ),
  show: () => reply({}),
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
