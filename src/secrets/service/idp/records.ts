import { collection } from '../../../store/index.ts'
import type { IdpConfig, IdpGroup, IdpUser } from '../../idp/model.ts'

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

/** The replicated collections. */
export const heldIdpRecords = [idpConfigs, idpUsers, idpGroups]
