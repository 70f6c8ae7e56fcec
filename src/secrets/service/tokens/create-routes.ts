import { type Reply, route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import { answerWith, type SecretsContext } from '../core/context.ts'
import { Login } from '../core/reply-shapes.ts'
import type { IssueRefusal } from './issuing.ts'
import { tokenOperations } from './operations.ts'
import { authWire, CreateBody } from './wire.ts'

const at = route<SecretsContext>()

/** Creates a token for the caller. */
const create = (id: string, path: '/create' | '/create/:role' | '/create-orphan') =>
  at({
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
    runs: [tokenOperations.create],
    handle: async ({ context, params, body }): Promise<Reply | Refused<IssueRefusal>> => {
      if (context.caller === undefined) return refuse('permission_denied', 'permission denied')
      const role = 'role' in params ? params['role'] : undefined
      const made = await context.services.tokens.create(
        context.caller.token,
        {
          ...(body.id ? { text: body.id } : {}),
          ...(role === undefined ? {} : { role }),
          path: context.path,
          policies: body.policies ?? [],
          meta: body.meta ?? null,
          orphan: path === '/create-orphan' ? 'granted' : (body.no_parent ?? false),
          noDefaultPolicy: body.no_default_policy ?? false,
          renewable: body.renewable ?? true,
          ttlSeconds: body.ttl ?? body.lease ?? 0,
          explicitMaxTtlSeconds: body.explicit_max_ttl ?? 0,
          periodSeconds: body.period ?? 0,
          type: body.type ?? '',
          displayName: body.display_name ?? '',
          numUses: body.num_uses ?? 0,
        },
        {
          sudo: context.sudo,
          namespace: context.namespace,
          ...leaseTimesOf(context.mount, context.services.core.mountPolicy),
        },
      )
      if (!made.ok) return made
      const { token, text, warnings } = made.value
      return answerWith(context, { auth: authWire(token, text), warnings })
    },
  })

/** The routes that create tokens, relative to the token store. */
export const tokenCreateRoutes = [
  create('token.create', '/create'),
  create('token.create-with-role', '/create/:role'),
  create('token.create-orphan', '/create-orphan'),
]
