import { lifecycle, type Refused, refuse } from '../../kernel/index.ts'

/**
 * The lifecycle of a service: from → verb → to.
 */
export const sealLifecycle = /* @__PURE__ */ lifecycle({
  uninitialized: { initialize: 'sealed' },
  sealed: { unseal: 'unsealed' },
  unsealed: { seal: 'sealed' },
})

/** Whether a service was initialised, and is open. */
export type SealState = keyof typeof sealLifecycle

/** Why a service cannot be initialised with these settings. */
export type SharesRefusal = 'invalid_shares'

/** Why a key cannot be split this way: it must be 1 of 1, or at least 2 of at most 255. */
export function sharesProblem(shares: number, threshold: number): Refused<SharesRefusal> | undefined {
  const no = (message: string) => refuse('invalid_shares', message)
  if (shares < 1) return no('shares must be at least one')
  if (threshold < 1) return no('threshold must be at least one')
  if (shares > 1 && threshold === 1) return no('threshold must be greater than one for multiple shares')
  if (shares > 255) return no('shares must be less than 256')
  if (threshold > 255) return no('threshold must be less than 256')
  if (threshold > shares) return no('threshold cannot be larger than shares')
  return undefined
}
