/**
 * Case does not matter in a search, nor whether a letter and its mark are one character or two, nor whether a sigma ends
 * a word: the end of a query may be the middle of one.
 */
export const foldText = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : text.toLowerCase().normalize('NFC').replaceAll('ς', 'σ')

/**
 * Folds ASCII letters to lower case, the form in which names are compared: `Alice/Tiny` and `alice/tiny` are one box.
 *
 * @example
 * ```ts
 * import { foldName } from 'plinth/catalog'
 *
 * foldName('Alice/Tiny') // 'alice/tiny'
 * ```
 */
export const foldName = (name: string): string =>
  /[A-Z]/.test(name) ? name.replace(/[A-Z]+/g, lowerCase) : name

const lowerCase = (text: string): string => text.toLowerCase()

/** The words of a folded text: runs of letters and digits, with the marks on them. */
export const wordsOf = (folded: string): readonly string[] =>
  folded.match(isAscii(folded) ? asciiWord : word) ?? []

/** Whether the character that ends before a position, or starts at it, belongs to a word. */
export const isInWord = (text: string, position: number, side: 'before' | 'after'): boolean => {
  const code = text.charCodeAt(side === 'before' ? position - 1 : position)
  if (code < 0x80) return isAsciiWord[code] === true
  if (Number.isNaN(code)) return false
  return side === 'before'
    ? wordEnd.test(text.slice(Math.max(0, position - 2), position))
    : wordStart.test(text.slice(position, position + 2))
}

const isAsciiWord = Array.from({ length: 0x80 }, (_, code) => /[a-z0-9]/.test(String.fromCharCode(code)))
const wordEnd = /[\p{L}\p{N}\p{M}]$/u
const wordStart = /^[\p{L}\p{N}\p{M}]/u

/** More terms say nothing more. */
const maxTerms = 16

/** The terms of a query: separated by whitespace, folded, without duplicates. */
export const termsOf = (query: string): readonly string[] =>
  [...new Set(foldText(query).split(/\s+/))].filter((term) => term !== '').slice(0, maxTerms)

const asciiWord = /[a-z0-9]+/g
const word = /[\p{L}\p{N}\p{M}]+/gu

const isAscii = (text: string): boolean => !/[^\u0000-\u007f]/.test(text)
