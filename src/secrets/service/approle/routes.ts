import { refuse } from '../../../kernel/index.ts'
import { operationRoute } from '../core/context.ts'
import { Login } from '../core/reply-shapes.ts'
import { tidies } from '../core/tidy.ts'
import { asLogin } from '../tokens/wire.ts'
import { approleOperations } from './operations.ts'
import { approleRoleRoutes } from './role-routes.ts'
import { approleSecretIdRoutes } from './secret-id-routes.ts'
import { LoginBody } from './wire.ts'

/** The routes of an AppRole method, relative to its mount. */
export const approleRoutes = [
  ...approleRoleRoutes,
  ...approleSecretIdRoutes,
  operationRoute({
    id: 'approle.login',
    method: 'POST',
    path: '/login',
    summary: 'Sign in with a role ID and, if the role requires one, a secret ID',
    description: 'A wrong role ID and a wrong secret ID get the same answer.',
    access: 'none',
    body: LoginBody,
    refusals: ['approle_role_id_missing'],
    reply: Login,
    run: approleOperations.login,
    with: ({ body, exchange }) =>
      body.role_id
        ? [{ roleId: body.role_id, secretId: body.secret_id, address: exchange.peer?.address }]
        : refuse('approle_role_id_missing', 'missing role_id'),
    show: asLogin,
  }),
  operationRoute({
    id: 'approle.tidy',
    method: 'POST',
    path: '/tidy/secret-id',
    summary: 'Delete expired secret IDs',
    access: 'update',
    ...tidies,
  }),
]
