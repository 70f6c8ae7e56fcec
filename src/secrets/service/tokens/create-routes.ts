import { refuse } from '../../../kernel/index.ts'
import { routeOperation } from '../../../operation/operation.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import { operationRoute, type SecretsContext } from '../core/context.ts'
import { Login } from '../core/reply-shapes.ts'
import { type ChildInput, createChild } from './issuing.ts'
import { tokenOperations } from './operations.ts'
import { asLogin, CreateBody } from './wire.ts'

/** Creates a token for the caller. */
const createOwn = routeOperation({
  refuses: tokenOperations.create.refuses,
  run: async (context: SecretsContext, input: ChildInput) =>
    context.caller
      ? createChild(context, context.caller.token, input, {
          sudo: context.sudo,
          ...leaseTimesOf(context.mount, context.core.mountPolicy),
        })
      : refuse('permission_denied', 'permission denied'),
})

const create = (id: string, path: '/create' | '/create/:role' | '/create-orphan') =>
  operationRoute({
    id,
    method: 'POST',
    path,
    summary:
      path === '/create-orphan'
        ? 'Create a token without a parent'
        : 'Create a token, by default a child of the calling token',
    access: 'create or update',
    body: CreateBody,
    reply: Login,
    run: createOwn,
    with: ({ context, params, body }) => [
      {
        ...(body.id ? { text: body.id } : {}),
        ...('role' in params ? { role: params['role'] } : {}),
        path: context.path,
        policies: body.policies ?? [],
        meta: body.meta ?? null,
        orphan: path === '/create-orphan' ? ('granted' as const) : (body.no_parent ?? false),
        noDefaultPolicy: body.no_default_policy ?? false,
        renewable: body.renewable ?? true,
        ttlSeconds: body.ttl ?? body.lease ?? 0,
        explicitMaxTtlSeconds: body.explicit_max_ttl ?? 0,
        periodSeconds: body.period ?? 0,
        type: body.type ?? '',
        displayName: body.display_name ?? '',
        numUses: body.num_uses ?? 0,
        ...(body.entity_alias ? { entityAlias: body.entity_alias.toLowerCase() } : {}),
      },
    ],
    show: asLogin,
  })

/** The routes that create tokens, relative to the token store. */
export const tokenCreateRoutes = [
  create('token.create', '/create'),
  create('token.create-with-role', '/create/:role'),
  create('token.create-orphan', '/create-orphan'),
]
