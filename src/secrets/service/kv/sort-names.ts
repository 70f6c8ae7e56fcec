import { compareText } from '../../../kernel/compare-text.ts'

/**
 * Sorts names by their UTF-8 bytes, in place. Long names with a common prefix are slow to compare: the host compares
 * them several times as fast, and in the same order if no name has surrogates.
 */
export const sortNames = (names: string[]): string[] =>
  names.some((name) => /[\ud800-\udfff]/.test(name)) ? names.sort(compareText) : names.sort()
