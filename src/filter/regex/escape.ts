import { controlOf } from '../reading/text.ts'
import type { Cursor } from './cursor.ts'
import { RegexSyntaxError } from './error.ts'
import { LAST_CODE_POINT } from './ranges.ts'

/** Reads an escape of a single code point: `\n`, `\.`, `\012`, `\x41`, `\x{1F600}`. */
export function readEscape(cursor: Cursor): number {
  const start = cursor.at
  cursor.next()
  if (cursor.done) throw new RegexSyntaxError('trailing backslash at end of expression', '', start)
  const first = cursor.next()
  const value = /[0-7]/.test(first)
    ? octal(cursor, first)
    : first === 'x'
      ? hexadecimal(cursor)
      : single(first)
  if (value === undefined) throw cursor.fault('invalid escape sequence', start)
  return value
}

function single(first: string): number | undefined {
  if (/[atnvfr]/.test(first)) return controlOf(first)
  return /[!-/:-@[-`{-~\0- \x7f]/.test(first) ? first.charCodeAt(0) : undefined
}

/**
 * Up to three digits; a single digit other than zero would be a backreference, which a linear-time engine cannot
 * support.
 */
function octal(cursor: Cursor, first: string): number | undefined {
  let digits = first
  while (digits.length < 3 && /^[0-7]$/.test(cursor.here)) digits += cursor.next()
  return digits.length === 1 && digits !== '0' ? undefined : Number.parseInt(digits, 8)
}

function hexadecimal(cursor: Cursor): number | undefined {
  if (!cursor.skip('{')) {
    const digits = cursor.next() + cursor.next()
    return /^[0-9a-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined
  }
  let value = 0
  for (let count = 0; ; count += 1) {
    const digit = cursor.next()
    if (digit === '}') return count === 0 ? undefined : value
    if (!/^[0-9a-f]$/i.test(digit)) return undefined
    value = value * 16 + Number.parseInt(digit, 16)
    if (value > LAST_CODE_POINT) return undefined
  }
}
