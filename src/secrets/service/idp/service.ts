import { type Answer, type Env, type Refused, refuse } from '../../../kernel/index.ts'
import type { Snapshot, Tx } from '../../../store/index.ts'
import type { Decision } from '../../../store/transactions/runner.ts'
import { entitlements, renewalProblem } from '../../idp/entitlements.ts'
import type { LoginRefusal } from '../../idp/login-model.ts'
import type { IdpConfig, IdpEvent } from '../../idp/model.ts'
import { type IdpConfigInput, writeIdpConfig } from '../../idp/write-config.ts'
import { groupName, writeIdpGroup, writeIdpUser } from '../../idp/write-user.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import { addressWithin } from '../../tokens/bound-cidrs.ts'
import { loginToken, type RenewPolicy, type Token } from '../../tokens/index.ts'
import { type Core, mountIsGone, type Namespace, type Place } from '../core.ts'
import { done } from '../decision.ts'
import { mountTables } from '../records.ts'
import type { Issued } from '../tokens/issuing.ts'
import type { TokensService } from '../tokens/tokens.ts'
import { type LoginInput, loginFlows } from './login-flow.ts'
import { idpConfigs, idpGroups, idpUsers } from './records.ts'

type Result<Value, Code extends string = never> = Answer<Value, Code | 'mount_gone'>

/** Why a login gave no token. @public */
export type LoginFailure =
  | LoginRefusal
  | 'idp_not_configured'
  | 'permission_denied'
  | 'login_root'
  | 'policy_internal'
  | 'past_max_ttl'

/** The identity-provider methods of a service, whatever number of them is mounted. */
export type IdpService = ReturnType<typeof idpService>

const notFromThere = refuse('permission_denied', 'permission denied')

/** Whether whom one configuration let in is whom another would: asked the same organisation, with no less of a proof. */
const stillCounts = (asked: IdpConfig, now: IdpConfig): boolean =>
  now.orgName === asked.orgName && now.baseUrl === asked.baseUrl && (now.bypassMfa || !asked.bypassMfa)

export function idpService(core: Core, tokens: TokensService) {
  const [word] = core.idpWords
  const { talk, board } = loginFlows(core)

  const whereOf = ({ namespace, mount }: Place) => ({ namespace: namespace.path, mount: mount.path })
  const emit = (place: Place, event: IdpEvent) =>
    core.emit({ at: core.env().now, ...whereOf(place), ...event })
  const change = <V, C extends string = never>(
    place: Place,
    decide: (tx: Tx, env: Env) => Decision<V, IdpEvent> | Refused<C>,
  ) =>
    core.commit<V, C | 'mount_gone'>((tx, env) => {
      const mounts = tx.get(mountTables, place.namespace.id)?.value.table.mounts ?? {}
      if (!Object.values(mounts).some(({ id }) => id === place.mount.id)) return mountIsGone(place.mount)
      return core.happened(decide(tx, env), whereOf(place))
    })
  const mountNow = (now: Snapshot, namespace: Namespace, id: string) =>
    Object.values(mountTables.get(now, namespace.id)?.value.table.mounts ?? {}).find((one) => one.id === id)
  const entitled = (now: Snapshot, mount: string, username: string, groups: readonly string[]) =>
    entitlements(
      idpUsers.get(now, mount, username)?.value.user,
      groups,
      (name) => idpGroups.get(now, mount, name)?.value.group,
    )

  /** Gives a token to whom the provider let in. */
  const finish = async (
    place: Place,
    input: LoginInput,
    asked: IdpConfig,
    granted: { readonly groups: readonly string[]; readonly warnings: readonly string[] },
  ): Promise<Result<Issued, LoginFailure>> => {
    // A login lasts as long as its user takes; what it was made for may be gone by now, or the service sealed. Whether
    // it counts, and what its token may do, is up to the configuration as it is now.
    const now = await core.fresh()
    const mount = mountNow(now, place.namespace, place.mount.id)
    const config = idpConfigs.get(now, place.mount.id)?.value.config
    if (mount?.path !== place.mount.path || config === undefined) return mountIsGone(place.mount)
    if (!stillCounts(asked, config))
      return refuse('idp_refused', `${word} authentication failed: the method was configured anew meanwhile`)
    if (!addressWithin(config.tokens.boundCidrs, input.address)) return notFromThere
    const { groups, policies } = entitled(now, mount.id, input.username, granted.groups)
    const kept = await tokens.keep((drawn, env) =>
      loginToken(
        undefined,
        {
          ...drawn,
          path: input.path,
          namespace: place.namespace.path,
          namespaceId: place.namespace.id,
          displayName: `${mount.path.slice('auth/'.length)}${input.username}`,
          meta: { username: input.username, policies: policies.join(',') },
          policies,
          login: {
            mount: mount.id,
            user: input.username,
            groups,
            ...(mount.moves === undefined ? {} : { moves: mount.moves }),
          },
        },
        env,
        {
          settings: config.tokens,
          ...leaseTimesOf(mount, core.mountPolicy),
          mountTokenType: mount.tokenType,
        },
      ),
    )
    // The mount, or its namespace, went while the token was made.
    if (!kept.ok && kept.refusal.code === 'permission_denied') return mountIsGone(place.mount)
    if (!kept.ok) return kept
    emit(place, { type: 'idp.logged_in', username: input.username })
    return { ok: true, value: { ...kept.value, warnings: [...granted.warnings, ...kept.value.warnings] } }
  }

  return {
    readConfig: async ({ mount }: Place) => idpConfigs.get(await core.fresh(), mount.id)?.value.config,
    /** Gives the warnings. */
    writeConfig: (place: Place, input: IdpConfigInput) =>
      change(place, (tx, env) => {
        const before = tx.get(idpConfigs, place.mount.id)?.value.config
        const written = writeIdpConfig(before, input, env)
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
      const config = idpConfigs.get(await core.fresh(), place.mount.id)?.value.config
      if (config === undefined) return refuse('idp_not_configured', `${word} auth method not configured`)
      if (!addressWithin(config.tokens.boundCidrs, input.address)) return notFromThere
      const talked = await talk(place, config, input)
      const result = talked.ok ? await finish(place, input, config, talked.value) : talked
      if (!result.ok)
        emit(place, { type: 'idp.login_refused', username: input.username, reason: result.refusal.code })
      return result
    },
    /** The number that a login under way asks to choose. */
    answerOf: ({ mount }: Place, nonce: string): number | undefined =>
      board.answerOf(`${mount.id}\n${nonce}`, core.env().now),
    /** What a renewal of a login's token goes by; `undefined` for tokens that no login made. */
    renewal: async (
      token: Token,
      namespace: Namespace,
    ): Promise<RenewPolicy | undefined | Refused<'idp_policies_changed' | 'idp_not_configured'>> => {
      if (token.login === null) return undefined
      const { mount: id, user, groups } = token.login
      const now = await core.fresh()
      const config = idpConfigs.get(now, id)?.value.config
      const mount = mountNow(now, namespace, id)
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
