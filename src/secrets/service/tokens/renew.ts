import { type Answer, refuse } from '../../../kernel/index.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import {
  type GrantedTtl,
  type RenewPolicy,
  type RenewRefusal,
  renewToken,
  type Token,
} from '../../tokens/index.ts'
import type { Core, Namespace, RenewalRefusal } from '../core/core.ts'
import { mountById } from '../core/find-mounts.ts'
import { namespaceAt } from '../core/namespaces.ts'
import type { TokenBounds } from './issuing.ts'
import { putToken, tokenRecords } from './records.ts'
import { roleOf } from './roles.ts'

/** A renewed token. */
export type Renewed = GrantedTtl & { readonly token: Token }

/** The bounds of the tokens that a namespace's token store makes. */
export async function tokenBounds(core: Core, namespace: Namespace): Promise<TokenBounds> {
  const { table } = core.mountsOf(await core.fresh(), namespace)
  return leaseTimesOf(table.mounts['auth/token/'] ?? core.mountPolicy, core.mountPolicy)
}

/** The settings of the auth method of a token's login; `undefined` for tokens without a login. */
async function loginSettings(core: Core, token: Token, namespace: Namespace) {
  const { login } = token
  if (login === null) return undefined
  const type = mountById(await core.fresh(), namespace, login.mount)?.type
  const method =
    type === undefined ? undefined : core.concepts.find(({ renewal }) => renewal?.isOf(core, type))?.renewal
  return method === undefined
    ? refuse('token_not_found', 'token not found')
    : method.settings(core, token, namespace, login)
}

/** Renews a token by the current settings of its role, its login, and the token store of its namespace. */
export async function renew(
  core: Core,
  token: Token,
  incrementSeconds: number,
): Promise<Answer<Renewed, RenewRefusal | RenewalRefusal>> {
  const home = namespaceAt(await core.fresh(), token.namespace)
  if (home === undefined) return refuse('token_not_found', 'token not found')
  const bounds = await tokenBounds(core, home)
  const login = await loginSettings(core, token, home)
  if (login && isRefused(login)) return login
  const role = await roleOf(core, token, home)
  const renewed = await commitRenewal(core, token, incrementSeconds, { ...bounds, role, ...login })
  const at = renewed.ok ? renewed.value.token.expiresAt : null
  if (at !== null) core.sweeper.at(at)
  return renewed
}

const commitRenewal = (core: Core, token: Token, incrementSeconds: number, policy: RenewPolicy) =>
  core.commit<Renewed, RenewRefusal | 'token_not_found'>((tx, env) => {
    const stored = token.type === 'batch' ? token : tx.get(tokenRecords, token.digest)?.value
    if (stored?.incarnation !== token.incarnation) return refuse('token_not_found', 'token not found')
    const made = renewToken(stored, { incrementSeconds }, env, policy)
    if (!made.ok) return made
    const { value, state } = made
    putToken(tx, state)
    return core.happened({ ...made, value: { ...value, token: state } }, { namespace: state.namespace })
  })
