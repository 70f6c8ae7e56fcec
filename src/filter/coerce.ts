import { parseDuration } from '../kernel/duration.ts'

/** Why a text is not a value of some kind: it is not written like one, or it is too large for one. */
export type Misfit = 'syntax' | 'range'

/**
 * Reads an integer as Go does with base 0: decimal, `0x`, `0b`, `0o` or a leading `0` for octal, `_` between digits.
 *
 * @returns a bigint only where a number cannot hold it
 */
export function parseInteger(text: string, unsigned: boolean): number | bigint | Misfit {
  const match = integer.exec(text)
  if (match === null || (unsigned && match[1] !== '')) return 'syntax'
  const [, sign, prefixed, octal, decimal] = match
  const digits = (prefixed ?? (octal === undefined ? decimal : `0o${octal}`) ?? '0').replaceAll('_', '')
  // `BigInt` reads `0x`, `0b` and `0o` alike.
  const size = BigInt(digits === '0o' ? '0' : digits)
  const value = sign === '-' ? -size : size
  const [least, most] = unsigned ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n]
  if (value < least || value > most) return 'range'
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

const integer =
  /^([+-]?)(?:(0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+)|0((?:_?[0-7])*)|([1-9](?:_?[0-9])*))$/

/** Reads a float as Go does: exponents, hexadecimal mantissas, `inf`, `NaN`, `_` between digits. */
export function parseFloating(text: string): number | Misfit {
  if (decimalFloat.test(text)) return finite(Number(text.replaceAll('_', '')))
  if (/^[+-]?inf(?:inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  const hex = hexFloat.exec(text)
  if (hex === null) return 'syntax'
  const whole = (hex[2] ?? '').replaceAll('_', '')
  const fraction = (hex[3] ?? '').replaceAll('_', '')
  if (whole + fraction === '') return 'syntax'
  // Exact for mantissas of up to 53 bits, which is every float that Go itself prints.
  const mantissa = Number(BigInt(`0x${whole}${fraction}`))
  const exponent = Number((hex[4] ?? '0').replaceAll('_', '')) - fraction.length * 4
  return finite((hex[1] === '-' ? -1 : 1) * scale(mantissa, exponent))
}

const decimalFloat = /^[+-]?(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?$/
const hexFloat =
  /^([+-]?)0[xX]((?:_?[0-9a-fA-F])*)\.?((?:[0-9a-fA-F](?:_?[0-9a-fA-F])*)?)[pP]([+-]?\d(?:_?\d)*)$/

const finite = (value: number): number | Misfit => (Number.isFinite(value) ? value : 'range')

/** mantissa × 2^exponent without leaving the range of floats on the way. */
const scale = (mantissa: number, exponent: number): number => {
  if (mantissa === 0) return 0
  const bounded = Math.max(-2000, Math.min(2000, exponent))
  const half = Math.trunc(bounded / 2)
  return mantissa * 2 ** half * 2 ** (bounded - half)
}

/** The spellings of booleans that Go accepts. */
export const parseBoolean = (text: string): boolean | 'syntax' =>
  /^(?:1|[tT]|true|TRUE|True)$/.test(text)
    ? true
    : /^(?:0|[fF]|false|FALSE|False)$/.test(text)
      ? false
      : 'syntax'

/**
 * Reads an RFC 3339 time. Finer digits than microseconds are dropped.
 *
 * @returns microseconds since 1970, which a double holds exactly for every year up to 2255
 */
export function parseTime(text: string): number | 'syntax' {
  const match = rfc3339.exec(text)
  if (match === null) return 'syntax'
  const [, date = '', clock = '', fraction = '', zone = ''] = match
  const ms = Date.parse(`${date}T${clock}${zone.toUpperCase()}`)
  if (Number.isNaN(ms) || new Date(Date.parse(`${date}T00:00:00Z`)).toISOString().slice(0, 10) !== date)
    return 'syntax'
  return ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

const rfc3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Reads a duration in Go's syntax (`1h30m`). Returns nanoseconds. */
export const parseNanoseconds = (text: string): number | 'syntax' => {
  const ms = parseDuration(text)
  return ms === undefined ? 'syntax' : Math.round(ms * 1e6)
}
