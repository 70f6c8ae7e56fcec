import { type Answer, refuse } from '../../../kernel/index.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import { loginToken, type TokenSettings } from '../../tokens/index.ts'
import type { Sited } from '../core/context.ts'
import { mountIsGone } from '../core/core.ts'
import { mountById } from '../core/find-mounts.ts'
import { admitLogin } from '../identity/logins.ts'
import type { Issued } from '../tokens/issuing.ts'
import { keepToken } from '../tokens/issuing.ts'

/** A successful login. */
export interface Admitted {
  /** The request path, which is stored with the token. */
  readonly path: string
  /** The name of the login at its mount: a user name, or a role. */
  readonly user: string
  /** The alias of the login's entity at the mount. */
  readonly alias: string
  /** The part of the token's display name after the mount. */
  readonly displayName: string
  readonly meta: Readonly<Record<string, string>>
  /** The policies of the user and the groups, in addition to the settings. */
  readonly policies: readonly string[]
  readonly groups: readonly string[]
  readonly settings: TokenSettings
}

/** Why a successful login got no token. */
export type GiveRefusal =
  | 'login_root'
  | 'policy_internal'
  | 'past_max_ttl'
  | 'mount_gone'
  | 'permission_denied'

/** Creates the token of a successful login of an auth method. */
export async function giveToken(at: Sited, admitted: Admitted): Promise<Answer<Issued, GiveRefusal>> {
  const { core, namespace } = at
  const mount = mountById(await core.fresh(), namespace, at.mount.id)
  if (mount?.path !== at.mount.path) return mountIsGone(at.mount)
  const entity = await admitLogin(at, mount, admitted.alias, admitted.groups)
  if (entity?.isDisabled) return refuse('permission_denied', 'permission denied')
  const kept = await keepToken(core, (drawn, env) =>
    loginToken(
      undefined,
      {
        ...drawn,
        path: admitted.path,
        namespace: namespace.path,
        namespaceId: namespace.id,
        displayName: admitted.displayName,
        meta: admitted.meta,
        policies: admitted.policies,
        entity: entity && { namespace: entity.namespace, id: entity.id },
        login: {
          mount: mount.id,
          user: admitted.user,
          groups: admitted.groups,
          ...(mount.moves === undefined ? {} : { moves: mount.moves }),
        },
      },
      env,
      {
        settings: admitted.settings,
        ...leaseTimesOf(mount, core.mountPolicy),
        mountTokenType: mount.tokenType,
      },
    ),
  )
  if (kept.ok) return kept
  // The mount or its namespace was deleted while the token was created.
  const { code, message } = kept.refusal
  return code === 'permission_denied' ? mountIsGone(at.mount) : refuse(code, message)
}
