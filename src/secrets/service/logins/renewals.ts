import type { Refused } from '../../../kernel/index.ts'
import { refuse } from '../../../kernel/index.ts'
import type { RenewPolicy, Token } from '../../tokens/index.ts'
import type { ApproleService } from '../approle/service.ts'
import type { Core, Namespace } from '../core/core.ts'
import { mountById } from '../core/mount-by-id.ts'
import type { IdpService } from '../idp/service.ts'
import type { UserpassService } from '../userpass/service.ts'

/** Why the token of a login is not renewed. */
export type RenewalRefusal =
  | 'idp_policies_changed'
  | 'idp_not_configured'
  | 'login_policies_changed'
  | 'login_user_gone'
  | 'token_not_found'

/** The settings for a renewal; `undefined` for tokens without a login. */
export type Renewals = (
  token: Token,
  namespace: Namespace,
) => Promise<RenewPolicy | undefined | Refused<RenewalRefusal>>

/** Reads the settings from the auth method of a token's login. */
export const renewals =
  (
    core: Core,
    methods: {
      readonly idp: IdpService
      readonly userpass: UserpassService
      readonly approle: ApproleService
    },
  ): Renewals =>
  async (token, namespace) => {
    const { login } = token
    if (login === null) return undefined
    const type = mountById(await core.fresh(), namespace, login.mount)?.type
    if (type === 'userpass' || type === 'approle') return methods[type].renewal(token, namespace, login)
    return type === undefined
      ? refuse('token_not_found', 'token not found')
      : methods.idp.renewal(token, namespace)
  }
