/**
 * Normalizes a window of a list: a negative start becomes 0, and missing values take their defaults.
 */
export const windowOf = (
  { offset = 0, limit }: { readonly offset?: number | undefined; readonly limit?: number | undefined },
  defaultLimit: number,
): { readonly offset: number; readonly limit: number } => ({
  offset: wholeFrom0(offset),
  limit: wholeFrom0(limit ?? defaultLimit),
})

const wholeFrom0 = (number: number): number => Math.max(0, Math.trunc(number) || 0)
