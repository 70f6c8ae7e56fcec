import { collection } from '../../../store/index.ts'
import type { IdTokenKey, IdTokenRole } from '../../identity/model.ts'

const noScopes = () => []

/** The keys of each namespace, by name. Their private keys are encrypted like all stored data. */
export const idTokenKeys = collection<{ readonly namespace: string; readonly key: IdTokenKey }>({
  name: 'idtokenkey',
  key: ({ namespace, key }) => [namespace, key.name],
  scopes: noScopes,
})

/** The roles of each namespace, by name. Their mark guards decisions about the key that they name. */
export const idTokenRoles = collection<{ readonly namespace: string; readonly role: IdTokenRole }>({
  name: 'idtokenrole',
  key: ({ namespace, role }) => [namespace, role.name],
  scopes: ({ namespace }) => [[namespace]],
})

/** The issuer of each namespace that has one. */
export const idTokenIssuers = collection<{ readonly namespace: string; readonly issuer: string }>({
  name: 'idtokenissuer',
  key: ({ namespace }) => [namespace],
  scopes: noScopes,
})
