import { lifecycle } from '../../kernel/index.ts'

/**
 * The lifecycle of a version: status → verb → status. Revoking is final: the number must be deleted and created again.
 *
 * @remarks
 * Only active versions are offered to clients.
 */
export const versionLifecycle = lifecycle({
  unreleased: { release: 'active' },
  active: { revoke: 'revoked' },
  revoked: {},
})

/**
 * The status of a version in its {@link versionLifecycle}.
 */
export type VersionStatus = keyof typeof versionLifecycle
