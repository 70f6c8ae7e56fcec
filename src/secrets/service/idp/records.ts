import { refuse } from '../../../kernel/index.ts'
import { collection, prefixOf, type Snapshot } from '../../../store/index.ts'
import { entitlements, renewalProblem } from '../../idp/entitlements.ts'
import type { IdpConfig, IdpGroup, IdpUser } from '../../idp/model.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import type { Concept } from '../core/core.ts'
import { mountById } from '../core/find-mounts.ts'

const noScopes = () => []

/** The configuration of each mount. */
export const idpConfigs = collection<{ readonly mount: string; readonly config: IdpConfig }>({
  name: 'idpconfig',
  key: ({ mount }) => [mount],
  scopes: noScopes,
})

/** The configured users of a mount, by their exact names. */
export const idpUsers = collection<{ readonly mount: string; readonly user: IdpUser }>({
  name: 'idpuser',
  key: ({ mount, user }) => [mount, user.username],
  scopes: noScopes,
})

/** The policies of a mount's groups, by their names in lower case. */
export const idpGroups = collection<{ readonly mount: string; readonly group: IdpGroup }>({
  name: 'idpgroup',
  key: ({ mount, group }) => [mount, group.name],
  scopes: noScopes,
})

/** The policies and groups of a user of a mount. */
export const entitled = (now: Snapshot, mount: string, username: string, groups: readonly string[]) =>
  entitlements(
    idpUsers.get(now, mount, username)?.value.user,
    groups,
    (name) => idpGroups.get(now, mount, name)?.value.group,
  )

export const idp: Concept = {
  held: [idpConfigs, idpUsers, idpGroups],
  ofMount: (id) => [prefixOf(idpUsers.name, id), prefixOf(idpGroups.name, id), idpConfigs.keyOf(id)],
  renewal: {
    isOf: (core, mountType) => core.idpWords.includes(mountType),
    settings: async (core, token, namespace, { mount: id, user, groups }) => {
      const now = await core.fresh()
      const config = idpConfigs.get(now, id)?.value.config
      const mount = mountById(now, namespace, id)
      if (config === undefined || mount === undefined)
        return refuse('idp_not_configured', `${core.idpWords[0]} auth method not configured`)
      return (
        renewalProblem(token, config.tokens, entitled(now, id, user, groups).policies) ?? {
          ...leaseTimesOf(mount, core.mountPolicy),
          settings: config.tokens,
        }
      )
    },
  },
}
