import { type Refused, refuse } from '../../kernel/index.ts'
import type { Version } from '../versions/model.ts'

/**
 * Size limits for objects that one answer contains as a whole. Every other user can read what one user writes.
 */
export interface SizeLimits {
  /**
   * How many boxes a user or an organization may have; 2,000 by default. Administrators set it for each one, too
   * (`putQuota`).
   */
  readonly boxesPerOwner: number
  /** How many bytes the images of a user or an organization may have together; not limited by default. */
  readonly bytesPerOwner?: number | undefined
  /** How many versions all boxes of a user or an organization may have together; not limited by default. */
  readonly versionsPerOwner?: number | undefined
  /** How many characters of JSON a version may have with its providers; 100,000 by default. */
  readonly charactersPerVersion: number
  /** How many characters of JSON all versions of a box may have together; 4,000,000 by default. */
  readonly charactersPerBox: number
}

/**
 * The default {@link SizeLimits}: a box may have some thousand versions, and each of them some hundred providers.
 */
export const sizeLimits: SizeLimits = {
  boxesPerOwner: 2000,
  charactersPerVersion: 100_000,
  charactersPerBox: 4_000_000,
}

/**
 * Why a version must not grow.
 */
export type SizeRefusal = 'version_too_large' | 'box_too_large'

/**
 * Returns why a version must not grow: it, or its box, would be too large.
 *
 * @param all - the versions of its box, `before` among them; none for a version that is new
 *
 * @returns `undefined` if it may. A version that does not grow is allowed at any size.
 */
export function sizeProblem(
  all: readonly Version[],
  before: Version | undefined,
  after: Version,
  limits: SizeLimits,
): Refused<SizeRefusal> | undefined {
  const size = sizeOf(after)
  const growth = size - (before ? sizeOf(before) : 0)
  if (growth <= 0) return undefined
  const { charactersPerVersion, charactersPerBox } = limits
  if (size > charactersPerVersion)
    return refuse(
      'version_too_large',
      `Version ${after.number} is too large: with its providers it would have ${size} characters of JSON, and the maximum is ${charactersPerVersion}`,
    )
  const total = all.reduce((sum, version) => sum + sizeOf(version), growth)
  if (total > charactersPerBox)
    return refuse(
      'box_too_large',
      `Box is too large: its versions would have ${total} characters of JSON, and the maximum is ${charactersPerBox}: delete old ones first`,
    )
  return undefined
}

/** Measuring takes as long as serializing, and every change of a version measures its whole box. */
const sizes = new WeakMap<Version, number>()

function sizeOf(version: Version): number {
  const known = sizes.get(version)
  if (known !== undefined) return known
  const size = JSON.stringify(version).length
  sizes.set(version, size)
  return size
}
