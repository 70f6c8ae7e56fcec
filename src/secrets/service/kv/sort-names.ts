import { compareText } from '../../../kernel/compare-text.ts'

/**
 * Sorts names by their UTF-8 bytes, in place. Long names that begin alike take long to compare: the host does it several
 * times as fast, and in the same order where no name has surrogates.
 */
export const sortNames = (names: string[]): string[] =>
  names.some((name) => /[\ud800-\udfff]/.test(name)) ? names.sort(compareText) : names.sort()
