import { type Answer, refuse } from '../../../kernel/index.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import type { GrantedTtl, RenewRefusal, Token } from '../../tokens/index.ts'
import { isRefused, type Namespace } from '../core/core.ts'
import type { RenewalRefusal } from '../logins/renewals.ts'
import type { Services } from '../services.ts'
import type { TokenBounds } from './issuing.ts'

/** The bounds of the tokens that a namespace's token store makes. */
export async function tokenBounds(
  { core }: Pick<Services, 'core'>,
  namespace: Namespace,
): Promise<TokenBounds> {
  const { table } = core.mountsOf(await core.fresh(), namespace)
  const own = table.mounts['auth/token/']
  return leaseTimesOf(own ?? core.mountPolicy, core.mountPolicy)
}

/** Renews a token by the current settings of its role, its login, and the token store of its namespace. */
export async function renew(
  services: Services,
  token: Token,
  incrementSeconds: number,
): Promise<Answer<GrantedTtl & { readonly token: Token }, RenewRefusal | RenewalRefusal>> {
  const { core, namespaces, renewalOf, tokens } = services
  const home = namespaces.at(await core.fresh(), token.namespace)
  if (home === undefined) return refuse('token_not_found', 'token not found')
  const bounds = await tokenBounds(services, home)
  const login = await renewalOf(token, home)
  if (login && isRefused(login)) return login
  const role = await tokens.roleOf(token, home)
  return tokens.renew(token, incrementSeconds, { ...bounds, role, ...login })
}
