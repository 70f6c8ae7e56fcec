import { lifecycle } from '../../kernel/index.ts'

/**
 * The life of a version: status → verb → status. Being revoked is final: the number has to be deleted and made anew.
 *
 * @remarks
 * Only active versions are offered to clients.
 *
 * @public
 */
export const versionLifecycle = lifecycle({
  unreleased: { release: 'active' },
  active: { revoke: 'revoked' },
  revoked: {},
})

/**
 * Where a version stands in its {@link versionLifecycle}.
 *
 * @public
 */
export type VersionStatus = keyof typeof versionLifecycle
