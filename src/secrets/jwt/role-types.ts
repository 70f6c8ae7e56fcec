/** The kinds of roles: `jwt` takes a token from its caller, `oidc` sends a browser to the provider. */
export const roleTypes = ['jwt', 'oidc'] as const

/** How values of bound claims are compared. */
export const boundClaimsTypes = ['string', 'glob'] as const
