import { refuse } from '../../../kernel/index.ts'
import { answerDone, answerWith, asData, asKeys, operationRoute } from '../core/context.ts'
import { listsKeys } from '../core/reply-shapes.ts'
import { type SecretIdName, secretIdOperations, secretIdRouteOperations } from './secret-ids.ts'
import { MadeReply, madeView, NameBody, SecretIdBody, SecretIdReply, secretIdView } from './wire.ts'

/** How a request identifies a secret ID: by its text or its accessor. */
const ways = [
  { by: 'secret-id', field: 'secret_id', what: 'a secret ID' },
  { by: 'secret-id-accessor', field: 'secret_id_accessor', what: 'a secret ID by its accessor' },
] as const

const missing = (field: string) => refuse('approle_secret_id_missing', `missing ${field}`)

const nameIn = (
  field: (typeof ways)[number]['field'],
  body: { readonly secret_id?: string | undefined; readonly secret_id_accessor?: string | undefined },
): SecretIdName | undefined => {
  const given = body[field]
  if (!given) return undefined
  return field === 'secret_id' ? { secretId: given } : { accessor: given }
}

/** The routes about secret IDs, relative to the mount. */
export const approleSecretIdRoutes = [
  ...(['secret-id', 'custom-secret-id'] as const).map((path) =>
    operationRoute({
      id: `approle.make-${path}`,
      method: 'POST',
      path: `/role/:name/${path}`,
      summary:
        path === 'secret-id' ? 'Generate a secret ID for a role' : 'Create a secret ID with a given value',
      access: 'update',
      body: SecretIdBody,
      refusals: ['approle_secret_id_missing'],
      reply: MadeReply,
      run: secretIdOperations.makeSecretId,
      with: ({ params, body }) =>
        path === 'custom-secret-id' && !body.secret_id
          ? missing('secret_id')
          : [
              params['name'] ?? '',
              {
                text: path === 'custom-secret-id' ? body.secret_id : undefined,
                metadata: body.metadata,
                cidrList: body.cidr_list,
                tokenBoundCidrs: body.token_bound_cidrs,
                numUses: body.num_uses,
                ttlSeconds: body.ttl,
              },
            ],
      show: asData(madeView.show),
    }),
  ),
  operationRoute({
    id: 'approle.secret-ids',
    method: 'LIST',
    path: '/role/:name/secret-id',
    summary: 'List the accessors of the secret IDs of a role',
    access: 'list',
    ...listsKeys,
    run: secretIdOperations.secretIdAccessors,
    with: ({ params }) => [params.name],
    show: asKeys,
  }),
  ...ways.flatMap(({ by, field, what }) => [
    operationRoute({
      id: `approle.lookup-${by}`,
      method: 'POST',
      path: `/role/:name/${by}/lookup`,
      summary: `Look up ${what}`,
      access: 'update',
      body: NameBody,
      refusals: ['approle_secret_id_missing'],
      reply: SecretIdReply,
      also: { 204: { description: 'the role has no such secret ID' } },
      run: secretIdRouteOperations.findSecretId,
      with: ({ params, body }) => {
        const named = nameIn(field, body)
        return named === undefined ? missing(field) : [params['name'] ?? '', named]
      },
      show: (secretId, { context }) =>
        secretId ? answerWith(context, { data: secretIdView.show(secretId) }) : answerDone(context),
    }),
    operationRoute({
      id: `approle.destroy-${by}`,
      method: ['POST', 'DELETE'],
      path: `/role/:name/${by}/destroy`,
      summary: `Destroy ${what}`,
      access: 'update or delete',
      body: NameBody,
      refusals: ['approle_secret_id_missing'],
      run: secretIdRouteOperations.destroySecretId,
      with: ({ params, body }) => {
        const named = nameIn(field, body)
        return named === undefined ? missing(field) : [params['name'] ?? '', named]
      },
    }),
  ]),
]
