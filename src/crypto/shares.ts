import { combine, split } from 'shamir-secret-sharing'

/**
 * Splits a key into shares; any `threshold` of them restore it, and fewer reveal nothing about it.
 *
 * @remarks
 * One share of one is the key itself, as in every seal of this kind. The shares are random: splitting twice gives two
 * sets that cannot be mixed.
 *
 * @param shares - how many; 1 to 255
 * @param threshold - how many are needed; 2 to `shares`, or 1 of 1
 * @throws RangeError if the numbers are invalid
 *
 * @example
 * ```ts
 * import { combineKey, splitKey } from 'plinth/secrets'
 *
 * const key = crypto.getRandomValues(new Uint8Array(32))
 * const [first, , third] = await splitKey(key, 3, 2)
 * const restored = first && third && (await combineKey([first, third]))
 * restored // key
 * ```
 */
export async function splitKey(
  key: Uint8Array,
  shares: number,
  threshold: number,
): Promise<readonly Uint8Array[]> {
  if (shares === 1 && threshold === 1) return [new Uint8Array(key)]
  if (!(threshold >= 2 && threshold <= shares && shares <= 255))
    throw new RangeError(`cannot split into ${shares} shares with threshold ${threshold}`)
  return split(key, shares, threshold)
}

/**
 * Restores a key from shares. Wrong or too few shares give a wrong key without an error, so a caller must check the
 * result (by opening a sealed value).
 *
 * @returns `undefined` for shares that cannot belong together: different lengths, the same share twice
 *
 * @example
 * ```ts
 * import { combineKey, splitKey } from 'plinth/secrets'
 *
 * const key = crypto.getRandomValues(new Uint8Array(32))
 * const shares = await splitKey(key, 5, 3)
 * await combineKey(shares.slice(2)) // key
 * const tooFew = await combineKey(shares.slice(3))
 * tooFew?.length // 32: a key, but another one
 * ```
 */
export async function combineKey(shares: readonly Uint8Array[]): Promise<Uint8Array | undefined> {
  const [only] = shares
  if (only === undefined) return undefined
  if (shares.length === 1) return new Uint8Array(only)
  try {
    return await combine([...shares])
  } catch {
    return undefined
  }
}
