import { refuse, unwrap } from '../../../kernel/index.ts'
import { answeredSignIns, forgetAnswered, nextAnsweredEnd } from '../../../oidc/answered.ts'
import { collection, prefixOf } from '../../../store/index.ts'
import type { JwtConfig, JwtRole } from '../../jwt/model.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import type { Concept } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { mountById } from '../core/find-mounts.ts'

const noScopes = () => []

/** The mount types of the method: two names for one. */
export const jwtTypes: readonly string[] = ['jwt', 'oidc']

/** The configuration of each mount. */
export const jwtConfigs = collection<{ readonly mount: string; readonly config: JwtConfig }>({
  name: 'jwtconfig',
  key: ({ mount }) => [mount],
  scopes: noScopes,
})

/** The roles of each mount, by their names in lower case. */
export const jwtRoles = collection<{ readonly mount: string; readonly role: JwtRole }>({
  name: 'jwtrole',
  key: ({ mount, role }) => [mount, role.name],
  scopes: noScopes,
})

export const jwt: Concept = {
  held: [jwtConfigs, jwtRoles, answeredSignIns],
  ofMount: (id) => [prefixOf(jwtRoles.name, id), jwtConfigs.keyOf(id)],
  sweep: async (core) => unwrap(await core.commit((tx, { now }) => done(forgetAnswered(tx, now)))),
  nextExpiry: async (core) => nextAnsweredEnd(await core.fresh()),
  loginRole: {
    mountTypes: jwtTypes,
    of: (now, mountId, { role }) =>
      (typeof role === 'string' && role) || jwtConfigs.get(now, mountId)?.value.config.defaultRole,
  },
  renewal: {
    isOf: (_core, mountType) => jwtTypes.includes(mountType),
    settings: async (core, _token, namespace, { mount: id, user: name }) => {
      const now = await core.fresh()
      const role = jwtRoles.get(now, id, name)?.value.role
      if (role === undefined) return refuse('login_user_gone', `role ${name} does not exist during renewal`)
      const mount = mountById(now, namespace, id)
      return { ...leaseTimesOf(mount ?? core.mountPolicy, core.mountPolicy), settings: role.tokens }
    },
  },
}
