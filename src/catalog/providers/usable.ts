import type { Provider } from './model.ts'

/**
 * Whether a client can fetch this provider's image: it is hosted elsewhere, or was uploaded.
 *
 * @public
 */
export const isUsable = ({ url, asset }: Provider): boolean => url !== null || asset !== null
