import { collection, type Snapshot, type Tx } from '../../../store/index.ts'
import type { ApproleRole, ApproleSecretId } from '../../approle/model.ts'

const noScopes = () => []

/** The roles of each mount, by their names in lower case. */
export const approleRoles = collection<{ readonly mount: string; readonly role: ApproleRole }>({
  name: 'approle',
  key: ({ mount, role }) => [mount, role.name],
  scopes: noScopes,
})

/** The role of each role ID in a mount. */
export const approleRoleIds = collection<{
  readonly mount: string
  readonly roleId: string
  readonly name: string
}>({
  name: 'approleid',
  key: ({ mount, roleId }) => [mount, roleId],
  scopes: noScopes,
})

/** The secret IDs of each incarnation of a role, by the keyed digest of their text. */
export const approleSecretIds = collection<{
  readonly mount: string
  /** The role's incarnation. */
  readonly role: string
  readonly secretId: ApproleSecretId
}>({
  name: 'approlesecret',
  key: ({ mount, role, secretId }) => [mount, role, secretId.digest],
  scopes: noScopes,
})

/** The secret ID of each accessor. */
export const approleAccessors = collection<{
  readonly mount: string
  readonly role: string
  readonly accessor: string
  readonly digest: string
}>({
  name: 'approleaccessor',
  key: ({ mount, role, accessor }) => [mount, role, accessor],
  scopes: noScopes,
})

/** Secret IDs by their expiry: a sweep reads only the expired ones. */
export const approleExpiries = collection<{
  readonly at: number
  readonly mount: string
  readonly role: string
  readonly digest: string
}>({
  name: 'approleexpiry',
  key: ({ at, mount, role, digest }) => [at, mount, role, digest],
  scopes: noScopes,
})

/** A role and its mount. */
interface At {
  readonly mount: string
  readonly role: string
}

/** Writes a secret ID with its index records. */
export function putSecretId(tx: Tx, { mount, role }: At, secretId: ApproleSecretId): void {
  const { digest, accessor, expiresAt } = secretId
  tx.put(approleSecretIds, { mount, role, secretId })
  tx.put(approleAccessors, { mount, role, accessor, digest })
  if (expiresAt !== null) tx.put(approleExpiries, { at: expiresAt, mount, role, digest })
}

/** Removes a secret ID with its index records. */
export function deleteSecretId(tx: Tx, { mount, role }: At, secretId: ApproleSecretId): void {
  const { digest, accessor, expiresAt } = secretId
  tx.delete(approleSecretIds, mount, role, digest)
  tx.delete(approleAccessors, mount, role, accessor)
  if (expiresAt !== null) tx.delete(approleExpiries, expiresAt, mount, role, digest)
}

/** The secret ID of an accessor. */
export const secretIdByAccessor = (
  now: Snapshot,
  { mount, role }: At,
  accessor: string,
): ApproleSecretId | undefined => {
  const digest = approleAccessors.get(now, mount, role, accessor)?.value.digest
  return digest === undefined ? undefined : approleSecretIds.get(now, mount, role, digest)?.value.secretId
}
