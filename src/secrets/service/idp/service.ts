import { type Answer, type Refused, refuse } from '../../../kernel/index.ts'
import type { Snapshot } from '../../../store/index.ts'
import { entitlements, renewalProblem } from '../../idp/entitlements.ts'
import { providerProblem } from '../../idp/login.ts'
import type { LoginRefusal } from '../../idp/login-model.ts'
import type { IdpConfig } from '../../idp/model.ts'
import { type IdpConfigInput, writeIdpConfig } from '../../idp/write-config.ts'
import { groupName, writeIdpGroup, writeIdpUser } from '../../idp/write-user.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import { addressWithin } from '../../tokens/bound-cidrs.ts'
import type { RenewPolicy, Token } from '../../tokens/index.ts'
import { atMount } from '../core/at-mount.ts'
import { type Core, mountIsGone, type Namespace, type Place } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { mountById } from '../core/mount-by-id.ts'
import type { TokenGiver } from '../logins/give-token.ts'
import type { Issued } from '../tokens/issuing.ts'
import { type LoginInput, loginFlows } from './login-flow.ts'
import { idpConfigs, idpGroups, idpUsers } from './records.ts'

type Result<Value, Code extends string = never> = Answer<Value, Code | 'mount_gone'>

/** Why a login was refused. */
export type LoginFailure =
  | LoginRefusal
  | 'idp_not_configured'
  | 'permission_denied'
  | 'login_root'
  | 'policy_internal'
  | 'past_max_ttl'

/** The identity-provider methods of a service, shared by all of its identity-provider mounts. */
export type IdpService = ReturnType<typeof idpService>

const notFromThere = refuse('permission_denied', 'permission denied')

/** Whether a login with one configuration is valid for another: the same organisation, and no weaker verification. */
const stillCounts = (asked: IdpConfig, now: IdpConfig): boolean =>
  now.orgName === asked.orgName && now.baseUrl === asked.baseUrl && (now.bypassMfa || !asked.bypassMfa)

export function idpService(core: Core, give: TokenGiver) {
  const [word] = core.idpWords
  const { talk, board, providers } = loginFlows(core)

  const { change, emit } = atMount(core)
  const entitled = (now: Snapshot, mount: string, username: string, groups: readonly string[]) =>
    entitlements(
      idpUsers.get(now, mount, username)?.value.user,
      groups,
      (name) => idpGroups.get(now, mount, name)?.value.group,
    )

  /** Creates the token of a user that the provider authenticated. */
  const finish = async (
    place: Place,
    input: LoginInput,
    asked: IdpConfig,
    granted: { readonly groups: readonly string[]; readonly warnings: readonly string[] },
  ): Promise<Result<Issued, LoginFailure>> => {
    // A login takes as long as its user; meanwhile the mount may have been deleted, or the service sealed. The current
    // configuration decides whether the login is valid, and the policies of its token.
    const now = await core.fresh()
    const mount = mountById(now, place.namespace, place.mount.id)
    const config = idpConfigs.get(now, place.mount.id)?.value.config
    if (mount?.path !== place.mount.path || config === undefined) return mountIsGone(place.mount)
    if (!stillCounts(asked, config))
      return refuse(
        'idp_refused',
        `${word} authentication failed: the configuration of the method changed during the login`,
      )
    if (!addressWithin(config.tokens.boundCidrs, input.address)) return notFromThere
    const { groups, policies } = entitled(now, mount.id, input.username, granted.groups)
    const given = await give(place, {
      path: input.path,
      user: input.username,
      alias: input.username,
      displayName: `${mount.path.slice('auth/'.length)}${input.username}`,
      meta: { username: input.username, policies: policies.join(',') },
      policies,
      groups,
      settings: config.tokens,
    })
    if (!given.ok) return given
    emit(place, { type: 'idp.logged_in', username: input.username })
    return { ok: true, value: { ...given.value, warnings: [...granted.warnings, ...given.value.warnings] } }
  }

  return {
    readConfig: async ({ mount }: Place) => idpConfigs.get(await core.fresh(), mount.id)?.value.config,
    /** Returns the warnings. */
    writeConfig: (place: Place, input: IdpConfigInput) =>
      change(place, (tx, env) => {
        const before = tx.get(idpConfigs, place.mount.id)?.value.config
        const written = writeIdpConfig(before, input, env, { word })
        if (written.ok) tx.put(idpConfigs, { mount: place.mount.id, config: written.state })
        return written
      }),
    listUsers: async ({ mount }: Place) =>
      idpUsers.list(await core.fresh(), mount.id).map(({ value }) => value.user.username),
    readUser: async ({ mount }: Place, name: string) =>
      idpUsers.get(await core.fresh(), mount.id, name)?.value.user,
    writeUser: (place: Place, input: Parameters<typeof writeIdpUser>[1]) =>
      change(place, (tx, env) => {
        const before = tx.get(idpUsers, place.mount.id, input.username)?.value.user
        const written = writeIdpUser(before, input, env)
        if (written.ok) tx.put(idpUsers, { mount: place.mount.id, user: written.state })
        return written
      }),
    deleteUser: (place: Place, name: string) =>
      change(place, (tx) => done(tx.delete(idpUsers, place.mount.id, name))),
    listGroups: async ({ mount }: Place) =>
      idpGroups.list(await core.fresh(), mount.id).map(({ value }) => value.group.name),
    readGroup: async ({ mount }: Place, name: string) =>
      idpGroups.get(await core.fresh(), mount.id, groupName(name))?.value.group,
    writeGroup: (place: Place, input: Parameters<typeof writeIdpGroup>[1]) =>
      change(place, (tx, env) => {
        const before = tx.get(idpGroups, place.mount.id, groupName(input.name))?.value.group
        const written = writeIdpGroup(before, input, env)
        if (written.ok) tx.put(idpGroups, { mount: place.mount.id, group: written.state })
        return written
      }),
    deleteGroup: (place: Place, name: string) =>
      change(place, (tx) => done(tx.delete(idpGroups, place.mount.id, groupName(name)))),
    login: async (place: Place, input: LoginInput): Promise<Result<Issued, LoginFailure>> => {
      const unsupported = providerProblem(input.provider, providers)
      if (unsupported) return unsupported
      const config = idpConfigs.get(await core.fresh(), place.mount.id)?.value.config
      if (config === undefined) return refuse('idp_not_configured', `${word} auth method not configured`)
      if (!addressWithin(config.tokens.boundCidrs, input.address)) return notFromThere
      const talked = await talk(place, config, input)
      const result = talked.ok ? await finish(place, input, config, talked.value) : talked
      if (!result.ok)
        emit(place, { type: 'idp.login_refused', username: input.username, reason: result.refusal.code })
      return result
    },
    /** The number that the user of a login in progress has to choose. */
    answerOf: ({ mount }: Place, nonce: string): number | undefined =>
      board.answerOf(`${mount.id}\n${nonce}`, core.env().now),
    /** The settings for the renewal of a login's token; `undefined` for tokens without a login. */
    renewal: async (
      token: Token,
      namespace: Namespace,
    ): Promise<RenewPolicy | undefined | Refused<'idp_policies_changed' | 'idp_not_configured'>> => {
      if (token.login === null) return undefined
      const { mount: id, user, groups } = token.login
      const now = await core.fresh()
      const config = idpConfigs.get(now, id)?.value.config
      const mount = mountById(now, namespace, id)
      if (config === undefined || mount === undefined)
        return refuse('idp_not_configured', `${word} auth method not configured`)
      return (
        renewalProblem(token, config.tokens, entitled(now, id, user, groups).policies) ?? {
          ...leaseTimesOf(mount, core.mountPolicy),
          settings: config.tokens,
        }
      )
    },
  }
}
