import { type Refused, refuse } from '../../../kernel/index.ts'
import type {
  IdpConfig,
  IdpConfigInput,
  IdpConfigRefusal,
  IdpGroup,
  IdpNameRefusal,
  IdpUser,
} from '../../idp/index.ts'
import { canonicalPath } from '../../mounts/index.ts'
import type { SecretsAnswer } from '../answer.ts'
import type { Services } from '../context.ts'
import { isRefused, type Place, rootNamespace } from '../core.ts'
import type { LoginFailure } from '../idp/service.ts'
import { typeNameOf } from '../request/mount-types.ts'
import { unlessSealed } from '../seal/unless-sealed.ts'
import { type TokenMade, tokenMade } from './system.ts'

/** An identity-provider method, for programs that embed the service. @public */
export interface IdpHandle {
  /** How the method is configured, without its secret; `undefined` before it is. */
  readonly readConfig: () => Promise<SecretsAnswer<Omit<IdpConfig, 'apiToken'> | undefined, 'mount_gone'>>
  /** Configures the method; fields that are left out keep their values. Gives warnings. */
  readonly configure: (
    input: IdpConfigInput,
  ) => Promise<SecretsAnswer<readonly string[], IdpConfigRefusal | 'mount_gone'>>
  /** What was written about a user; `undefined` for nothing. */
  readonly readUser: (username: string) => Promise<SecretsAnswer<IdpUser | undefined, 'mount_gone'>>
  /** Writes the groups and policies of a user, in place of whatever was. */
  readonly writeUser: (
    username: string,
    input: { readonly groups?: readonly string[]; readonly policies?: readonly string[] },
  ) => Promise<SecretsAnswer<undefined, IdpNameRefusal | 'mount_gone'>>
  /** What was written about a group; `undefined` for nothing. */
  readonly readGroup: (name: string) => Promise<SecretsAnswer<IdpGroup | undefined, 'mount_gone'>>
  /** Writes the policies of a group, in place of whatever was. */
  readonly writeGroup: (
    name: string,
    policies: readonly string[],
  ) => Promise<SecretsAnswer<undefined, IdpNameRefusal | 'mount_gone'>>
  /**
   * Logs somebody in. While a number is to be chosen, {@link IdpHandle.answerOf} tells it.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   * import { scriptedProvider } from 'plinth/testing'
   *
   * const idpProvider = scriptedProvider({ users: { ada: { password: 'hunter2', groups: ['dev'] } } })
   * const { service } = await devSecrets({ idpProvider })
   * await service.idp().configure({ orgName: 'acme', apiToken: 'any' })
   * await service.idp().writeGroup('dev', ['developers'])
   * const login = await service.idp().login({ username: 'ada', password: 'hunter2' })
   * login.ok && login.value.policies // ['default', 'developers']
   * await service.close()
   * ```
   */
  readonly login: (input: {
    readonly username: string
    readonly password: string
    /** A passcode of an authenticator app. */
    readonly passcode?: string
    /** Which factor provider the passcode is of: `GOOGLE`, or the method's own name. */
    readonly provider?: string
    readonly nonce?: string
    /** The client's IP address, where the method is bound to networks. */
    readonly address?: string
    readonly signal?: AbortSignal
  }) => Promise<SecretsAnswer<TokenMade, LoginFailure | 'mount_gone'>>
  /** The number that the login with this nonce asks to choose, while it is under way. */
  readonly answerOf: (nonce: string) => Promise<number | undefined>
}

/**
 * @param mount - its path, `auth/` included or not
 */
export function idpHandle(services: Services, mount: string): IdpHandle {
  const { core, idp } = services
  const placeOf = (): Promise<Place | Refused<'sealed' | 'mount_gone'>> =>
    unlessSealed(core, async () => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      const path = canonicalPath(mount.startsWith('auth/') ? mount : `auth/${mount}`)
      const { table } = await core.mountsOf(opened.view, rootNamespace)
      const found = Object.hasOwn(table.mounts, path) ? table.mounts[path] : undefined
      return found && typeNameOf(found, core.idpWords) === 'idp'
        ? { namespace: rootNamespace, mount: found }
        : refuse('mount_gone', `there is no identity-provider method at ${path}`)
    })
  const there = async <V, C extends string>(
    go: (place: Place) => Promise<SecretsAnswer<V, C | 'mount_gone'>>,
  ): Promise<SecretsAnswer<V, C | 'mount_gone'>> => {
    const place = await placeOf()
    return isRefused(place) ? place : go(place)
  }
  return {
    readConfig: () =>
      there(async (place) => {
        const result = await idp.readConfig(place)
        if (!result.ok || !result.value) return result.ok ? { ok: true, value: undefined } : result
        const { apiToken: _never, ...shown } = result.value
        return { ok: true, value: shown }
      }),
    configure: (input) => there((place) => idp.writeConfig(place, input)),
    readUser: (username) => there((place) => idp.readUser(place, username)),
    writeUser: (username, input) => there((place) => idp.writeUser(place, { ...input, username })),
    readGroup: (name) => there((place) => idp.readGroup(place, name)),
    writeGroup: (name, policies) => there((place) => idp.writeGroup(place, { name, policies })),
    login: ({ username, password, passcode = '', provider = '', nonce = '', address, signal }) =>
      there<TokenMade, LoginFailure>(async (place) => {
        const result = await idp.login(place, {
          username,
          password,
          passcode,
          provider,
          nonce,
          address,
          path: `${place.mount.path}login/${username}`,
          signal: signal ?? new AbortController().signal,
        })
        return result.ok ? { ok: true, value: tokenMade(result.value) } : result
      }),
    answerOf: async (nonce) => {
      const place = await placeOf()
      return isRefused(place) ? undefined : idp.answerOf(place, nonce)
    },
  }
}
