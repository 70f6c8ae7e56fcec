import type { Answer } from '../../../kernel/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { addressWithin } from '../../../networks/networks.ts'
import { providerProblem } from '../../idp/login.ts'
import type { LoginRefusal } from '../../idp/login-model.ts'
import type { IdpConfig } from '../../idp/model.ts'
import { emitAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
import { mountIsGone } from '../core/core.ts'
import { mountById } from '../core/find-mounts.ts'
import { giveToken } from '../logins/give-token.ts'
import type { Issued } from '../tokens/issuing.ts'
import { type LoginInput, loginFlows } from './login-flow.ts'
import { entitled, idpConfigs } from './records.ts'

/** Why a login was refused. */
export type LoginFailure =
  | LoginRefusal
  | 'idp_not_configured'
  | 'permission_denied'
  | 'login_root'
  | 'policy_internal'
  | 'past_max_ttl'

const notFromThere = refuse('permission_denied', 'permission denied')

/** Whether a login with one configuration is valid for another: the same organisation, and no weaker verification. */
const stillCounts = (asked: IdpConfig, now: IdpConfig): boolean =>
  now.orgName === asked.orgName && now.baseUrl === asked.baseUrl && (now.bypassMfa || !asked.bypassMfa)

/** Creates the token of a user that the provider authenticated. */
async function finish(
  at: Sited,
  input: LoginInput,
  asked: IdpConfig,
  granted: { readonly groups: readonly string[]; readonly warnings: readonly string[] },
): Promise<Answer<Issued, LoginFailure | 'mount_gone'>> {
  const { core } = at
  // A login takes as long as its user; meanwhile the mount may have been deleted, or the service sealed. The current
  // configuration decides whether the login is valid, and the policies of its token.
  const now = await core.fresh()
  const mount = mountById(now, at.namespace, at.mount.id)
  const config = idpConfigs.get(now, at.mount.id)?.value.config
  if (mount?.path !== at.mount.path || config === undefined) return mountIsGone(at.mount)
  if (!stillCounts(asked, config))
    return refuse(
      'idp_refused',
      `${core.idpWords[0]} authentication failed: the configuration of the method changed during the login`,
    )
  if (!addressWithin(config.tokens.boundCidrs, input.address)) return notFromThere
  const { groups, policies } = entitled(now, mount.id, input.username, granted.groups)
  const given = await giveToken(at, {
    path: `${at.mount.path}login/${input.username}`,
    user: input.username,
    alias: input.username,
    displayName: `${mount.path.slice('auth/'.length)}${input.username}`,
    meta: { username: input.username, policies: policies.join(',') },
    policies,
    groups,
    settings: config.tokens,
  })
  if (!given.ok) return given
  emitAt(at, { type: 'idp.logged_in', username: input.username })
  return { ok: true, value: { ...given.value, warnings: [...granted.warnings, ...given.value.warnings] } }
}

/** Logs a user in at the provider. */
export async function login(
  at: Sited,
  input: LoginInput,
): Promise<Answer<Issued, LoginFailure | 'mount_gone'>> {
  const { core } = at
  const { talk, providers } = loginFlows(core)
  const unsupported = providerProblem(input.provider, providers)
  if (unsupported) return unsupported
  const config = idpConfigs.get(await core.fresh(), at.mount.id)?.value.config
  if (config === undefined)
    return refuse('idp_not_configured', `${core.idpWords[0]} auth method not configured`)
  if (!addressWithin(config.tokens.boundCidrs, input.address)) return notFromThere
  const talked = await talk(at, config, input)
  const result = talked.ok ? await finish(at, input, config, talked.value) : talked
  if (!result.ok)
    emitAt(at, { type: 'idp.login_refused', username: input.username, reason: result.refusal.code })
  return result
}
