import type { Refused } from '../kernel/index.ts'
import { type Claims, tokenRefused } from './read-token.ts'

/** What the registered claims of a token must say. */
export interface ExpectedClaims {
  /** The issuer; any by default. */
  readonly issuer?: string | undefined
  /** The subject; any by default. */
  readonly subject?: string | undefined
  /** The audiences, of which the token must name one; any by default. */
  readonly audiences?: readonly string[] | undefined
  /** Added to the end of a token, in seconds, if it has none of its own: it is then counted from its beginning. */
  readonly expirationLeewaySeconds?: number | undefined
  /** Subtracted from the end of a token, in seconds, for its beginning if it names none. */
  readonly notBeforeLeewaySeconds?: number | undefined
  /** By how much clocks may differ, in seconds. */
  readonly clockSkewSeconds?: number | undefined
}

/** The leeways of tokens, in seconds, unless a caller says otherwise. */
export const usualLeeways = { expiration: 150, notBefore: 150, clockSkew: 60 } as const

/**
 * Checks the registered claims of a token whose signature was verified: `iss`, `sub`, `aud`, `exp`, `nbf` and `iat`.
 *
 * @param now - milliseconds since 1970
 * @returns a refusal, or `undefined`
 */
export function claimsProblem(
  claims: Claims,
  expected: ExpectedClaims,
  now: number,
): Refused<'token_refused'> | undefined {
  const { issuer, subject, audiences = [] } = expected
  const late = timeProblem(claims, expected, now / 1000)
  if (late !== undefined) return tokenRefused(late)
  if (issuer !== undefined && claims['iss'] !== issuer) return tokenRefused('invalid issuer (iss) claim')
  if (subject !== undefined && claims['sub'] !== subject) return tokenRefused('invalid subject (sub) claim')
  if (audiences.length > 0 && !audiencesOf(claims).some((audience) => audiences.includes(audience)))
    return tokenRefused('invalid audience (aud) claim: audience claim does not match any bound audience')
  return undefined
}

/** The audiences of a token: a list, or a single one. */
export function audiencesOf({ aud }: Claims): readonly string[] {
  if (typeof aud === 'string') return [aud]
  return Array.isArray(aud) ? aud.filter((one) => typeof one === 'string') : []
}

function timeProblem(claims: Claims, expected: ExpectedClaims, now: number): string | undefined {
  const {
    expirationLeewaySeconds: afterBeginning = usualLeeways.expiration,
    notBeforeLeewaySeconds: beforeEnd = usualLeeways.notBefore,
    clockSkewSeconds: skew = usualLeeways.clockSkew,
  } = expected
  const { exp, nbf, iat } = claims
  for (const [name, time] of Object.entries({ exp, nbf, iat }))
    if (time !== undefined && !(typeof time === 'number' && Number.isFinite(time)))
      return `the ${name} claim is not a time in seconds`
  const given = (time: unknown) => (typeof time === 'number' && time !== 0 ? time : undefined)
  const [ends, begins, issued] = [given(exp), given(nbf), given(iat)]
  if (ends === undefined && begins === undefined && issued === undefined)
    return 'no issued at (iat), not before (nbf), or expiration time (exp) claims in token'
  const end = ends ?? Math.max(begins ?? 0, issued ?? 0) + afterBeginning
  const beginning = begins ?? issued ?? end - beforeEnd
  if (now > end + skew) return 'invalid expiration time (exp) claim: token is expired'
  if (now < beginning - skew) return 'invalid not before (nbf) claim: token not yet valid'
  if (issued !== undefined && now < issued - skew)
    return 'invalid issued at (iat) claim: token issued in the future'
  return undefined
}
