/**
 * A stretch of a list as its reader means it: what lies below 0 begins there, and what was not said takes its default.
 */
export const windowOf = (
  { offset = 0, limit }: { readonly offset?: number | undefined; readonly limit?: number | undefined },
  defaultLimit: number,
): { readonly offset: number; readonly limit: number } => ({
  offset: wholeFrom0(offset),
  limit: wholeFrom0(limit ?? defaultLimit),
})

const wholeFrom0 = (number: number): number => Math.max(0, Math.trunc(number) || 0)
