import { answerWith, asData, operationRoute, type SecretsContext } from '../core/context.ts'
import { toolsAt } from '../tools/routes.ts'
import { transitKeyRoutes } from './key-routes.ts'
import { drawDataKey, encryptItems, transitUseOperations } from './use-operations.ts'
import { UseBody, UseReply } from './wire.ts'

const summaries = {
  decrypt: 'Decrypt',
  rewrap: 'Re-encrypt with the latest version of the key',
  hmac: 'Create an HMAC',
  sign: 'Sign',
  verify: 'Verify a signature or an HMAC of data',
} as const satisfies Readonly<Record<keyof typeof transitUseOperations, string>>
const named = ['decrypt', 'rewrap', 'hmac', 'sign', 'verify'] as const

/** The routes that accept their algorithm in the path as well. */
const algorithmic = ['hmac', 'sign', 'verify'] as const

/** The body and the answer of a use of a key. */
const uses = {
  method: 'POST',
  body: UseBody,
  reply: UseReply,
  show: (
    { data, failed }: { readonly data: object; readonly failed: boolean },
    { context }: { readonly context: SecretsContext },
  ) => answerWith(context, { data }, failed ? 400 : 200),
} as const

/** The routes of a transit engine, relative to its mount. */
export const transitRoutes = [
  ...transitKeyRoutes,
  operationRoute({
    ...uses,
    id: 'transit.encrypt',
    path: '/encrypt/:name',
    summary: 'Encrypt; creates a missing key if the caller has `create`',
    access: 'create or update',
    run: encryptItems,
    with: ({ params, body }) => [params.name, body],
  }),
  ...named.map((use) =>
    operationRoute({
      ...uses,
      id: `transit.${use}`,
      path: `/${use}/:name`,
      summary: summaries[use],
      access: 'update',
      run: transitUseOperations[use],
      with: ({ params, body }) => [params['name'] ?? '', body],
    }),
  ),
  ...algorithmic.map((use) =>
    operationRoute({
      ...uses,
      id: `transit.${use}-with`,
      path: `/${use}/:name/:algorithm`,
      summary: `${summaries[use]}, by an algorithm`,
      access: 'update',
      run: transitUseOperations[use],
      with: ({ params, body }) => [params['name'] ?? '', { ...body, hash_algorithm: params['algorithm'] }],
    }),
  ),
  operationRoute({
    id: 'transit.data-key',
    method: 'POST',
    path: '/datakey/:kind/:name',
    summary:
      'Generate a data key and encrypt it; "plaintext" also returns it in the clear, "wrapped" does not',
    access: 'update',
    body: UseBody,
    reply: UseReply,
    run: drawDataKey,
    with: ({ params, body }) => [params.kind, params.name, body],
    show: asData((made) => made),
  }),
  ...toolsAt('', 'transit'),
]
