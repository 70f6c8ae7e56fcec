import { route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { answerDone, answerKeys, answerWith, type SecretsContext } from '../core/context.ts'
import { isRefused } from '../core/core.ts'
import { listsKeys } from '../core/reply-shapes.ts'
import { approleOperations } from './operations.ts'
import type { SecretIdName } from './service.ts'
import { MadeReply, madeWire, NameBody, SecretIdBody, SecretIdReply, secretIdWire } from './wire.ts'

const at = route<SecretsContext>()
const makes = approleOperations.makeSecretId

const naming = ['approle_secret_id_missing', 'approle_accessor_unknown', 'approle_role_unknown'] as const

/** How a request identifies a secret ID: by its text or its accessor. */
const ways = [
  { by: 'secret-id', field: 'secret_id', what: 'a secret ID' },
  { by: 'secret-id-accessor', field: 'secret_id_accessor', what: 'a secret ID by its accessor' },
] as const

const missing = (field: string) => refuse('approle_secret_id_missing', `missing ${field}`)

/** An unknown accessor is refused; an unknown secret ID gets an empty answer. */
const unknown = (by: SecretIdName): Refused<'approle_accessor_unknown'> | undefined =>
  'accessor' in by
    ? refuse(
        'approle_accessor_unknown',
        `failed to find accessor entry for secret_id_accessor: ${JSON.stringify(by.accessor)}`,
      )
    : undefined

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
    at({
      id: `approle.make-${path}`,
      method: 'POST',
      path: `/role/:name/${path}`,
      summary:
        path === 'secret-id' ? 'Generate a secret ID for a role' : 'Create a secret ID with a given value',
      access: 'update',
      body: SecretIdBody,
      runs: [makes],
      refusals: ['approle_secret_id_missing'],
      reply: MadeReply,
      handle: async ({ context, params, body }) => {
        if (path === 'custom-secret-id' && !body.secret_id) return missing('secret_id')
        const made = await context.services.approle.makeSecretId(context, params['name'] ?? '', {
          text: path === 'custom-secret-id' ? body.secret_id : undefined,
          metadata: body.metadata,
          cidrList: body.cidr_list,
          tokenBoundCidrs: body.token_bound_cidrs,
          numUses: body.num_uses,
          ttlSeconds: body.ttl,
        })
        if (!made.ok) return made
        return answerWith(context, { data: madeWire(made.value.text, made.value.secretId) })
      },
    }),
  ),
  at({
    id: 'approle.secret-ids',
    method: 'LIST',
    path: '/role/:name/secret-id',
    summary: 'List the accessors of the secret IDs of a role',
    access: 'list',
    refusals: ['approle_role_unknown'],
    ...listsKeys,
    handle: async ({ context, params }) => {
      const accessors = await context.services.approle.accessors(context, params.name)
      return isRefused(accessors) ? accessors : answerKeys(context, accessors)
    },
  }),
  ...ways.flatMap(({ by, field, what }) => [
    at({
      id: `approle.lookup-${by}`,
      method: 'POST',
      path: `/role/:name/${by}/lookup`,
      summary: `Look up ${what}`,
      access: 'update',
      body: NameBody,
      refusals: naming,
      reply: SecretIdReply,
      also: { 204: { description: 'the role has no such secret ID' } },
      handle: async ({ context, params, body }) => {
        const named = nameIn(field, body)
        if (named === undefined) return missing(field)
        const result = await context.services.approle.find(context, params['name'] ?? '', named)
        if (!result.ok) return result
        if (result.value === undefined) return unknown(named) ?? answerDone(context)
        return answerWith(context, { data: secretIdWire(result.value) })
      },
    }),
    at({
      id: `approle.destroy-${by}`,
      method: ['POST', 'DELETE'],
      path: `/role/:name/${by}/destroy`,
      summary: `Destroy ${what}`,
      access: 'update or delete',
      body: NameBody,
      success: 204,
      refusals: [...naming, 'mount_gone'],
      handle: async ({ context, params, body }) => {
        const named = nameIn(field, body)
        if (named === undefined) return missing(field)
        const result = await context.services.approle.destroy(context, params['name'] ?? '', named)
        if (!result.ok) return result
        return (result.value ? undefined : unknown(named)) ?? answerDone(context)
      },
    }),
  ]),
]
