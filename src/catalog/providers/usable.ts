import type { Checksum, Provider } from './model.ts'

/**
 * Whether a client can fetch this provider's image: it is hosted elsewhere, or was uploaded.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { createProvider, createVersion, isUsable } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * isUsable(unwrap(createProvider(version, { name: 'qemu' }, env))) // false
 * isUsable(unwrap(createProvider(version, { name: 'qemu', url: 'https://example.com/a.box' }, env))) // true
 * ```
 */
export const isUsable = ({ url, asset }: Provider): boolean => url !== null || asset !== null

/** The checksum that the bytes of an upload must have; null for any bytes. */
export const requiredChecksum = ({ announced, checksum }: Provider): Checksum | null => announced ?? checksum

/** The checksum that clients use to check an image: the one its owner declared, or else the computed one. */
export const publishedChecksum = ({
  checksum,
  asset,
}: Pick<Provider, 'checksum' | 'asset'>): Checksum | null =>
  checksum ?? (asset?.sha256 === undefined ? null : { type: 'sha256', hex: asset.sha256 })
