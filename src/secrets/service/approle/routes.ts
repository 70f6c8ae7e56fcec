import { type Reply, route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { answerWith, type SecretsContext } from '../core/context.ts'
import { Login, mayWarn } from '../core/reply-shapes.ts'
import { authWire } from '../tokens/wire.ts'
import { approleOperations } from './operations.ts'
import { approleRoleRoutes } from './role-routes.ts'
import { approleSecretIdRoutes } from './secret-id-routes.ts'
import { LoginBody } from './wire.ts'

const at = route<SecretsContext>()
type LoginRefusal = (typeof approleOperations.login.refuses)[number] | 'approle_role_id_missing'

/** The routes of an AppRole method, relative to its mount. */
export const approleRoutes = [
  ...approleRoleRoutes,
  ...approleSecretIdRoutes,
  at({
    id: 'approle.login',
    method: 'POST',
    path: '/login',
    summary: 'Log in with a role ID and, if the role requires one, a secret ID',
    description: 'A wrong role ID and a wrong secret ID get the same answer.',
    access: 'none',
    body: LoginBody,
    runs: [approleOperations.login],
    refusals: ['approle_role_id_missing'],
    reply: Login,
    handle: async ({ context, body, exchange }): Promise<Reply | Refused<LoginRefusal>> => {
      if (!body.role_id) return refuse('approle_role_id_missing', 'missing role_id')
      const result = await context.services.approle.login(context, {
        roleId: body.role_id,
        secretId: body.secret_id ?? '',
        address: exchange.peer?.address,
        path: context.path,
      })
      if (!result.ok) return result
      const { token, text, warnings } = result.value
      return answerWith(context, { auth: authWire(token, text), warnings })
    },
  }),
  at({
    id: 'approle.tidy',
    method: 'POST',
    path: '/tidy/secret-id',
    summary: 'Delete expired secret IDs',
    access: 'update',
    success: 202,
    reply: mayWarn.also[200].reply,
    handle: async ({ context }) => {
      await context.services.sweeper.sweep()
      return answerWith(context, { warnings: ['Tidy operation has run; nothing is left to sweep.'] }, 202)
    },
  }),
]
