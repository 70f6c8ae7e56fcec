/** Why a text is not a value of some kind: its syntax is wrong, or it is out of range. */
export type Misfit = 'syntax' | 'range'

/** Removes the `_` between digits, as in `1_000` and `0x_ff`; any other stays, so that the text is not a number. */
const withoutSeparators = (text: string): string =>
  text.replace(/^[+-]?0x/i.test(text) ? betweenHex : betweenDecimal, '')

const betweenHex = /(?<=[\da-fx])_(?=[\da-f])/gi
const betweenDecimal = /(?<=\d|^[+-]?0[bo])_(?=\d)/gi

/**
 * Reads an integer as Go does with base 0: decimal, `0x`, `0b`, `0o` or a leading `0` for octal, `_` between digits.
 *
 * @returns a bigint only if a number cannot represent it
 */
export function parseInteger(text: string, unsigned: boolean): number | bigint | Misfit {
  const [, sign, digits, octal] = integer.exec(withoutSeparators(text)) ?? []
  if (digits === undefined || (unsigned && sign !== '')) return 'syntax'
  // `BigInt` reads `0x`, `0b` and `0o` alike.
  const size = BigInt(octal === undefined ? digits : `0o${octal}`)
  const value = sign === '-' ? -size : size
  if (value !== BigInt[unsigned ? 'asUintN' : 'asIntN'](64, value)) return 'range'
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

const integer = /^([+-]?)(0x[\da-f]+|0b[01]+|0o[0-7]+|0([0-7]+)|0|[1-9]\d*)$/i

/** Reads a float as Go does: exponents, hexadecimal mantissas, `inf`, `NaN`, `_` between digits. */
export function parseFloating(text: string): number | Misfit {
  const digits = withoutSeparators(text)
  if (decimalFloat.test(digits)) return finite(Number(digits))
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  const [, sign, whole = '', fraction = '', power] = hexFloat.exec(digits) ?? []
  if (power === undefined) return 'syntax'
  // Exact for mantissas of up to 53 bits, which is every float that Go itself prints.
  const mantissa = Number(`${sign}1`) * Number(`0x${whole}${fraction}`)
  const exponent = Number(power) - fraction.length * 4
  // In two steps, to stay within the range of floats.
  const half = Math.trunc(exponent / 2)
  return mantissa === 0 ? 0 : finite(mantissa * 2 ** half * 2 ** (exponent - half))
}

const decimalFloat = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
const hexFloat = /^([+-]?)0x(?=\.?[\da-f])([\da-f]*)\.?([\da-f]*)p([+-]?\d+)$/i

const finite = (value: number): number | Misfit => (Number.isFinite(value) ? value : 'range')

/** The spellings of booleans that Go accepts. */
export const parseBoolean = (text: string): boolean | 'syntax' =>
  /^(1|[tT](rue)?|TRUE)$/.test(text) ? true : /^(0|[fF](alse)?|FALSE)$/.test(text) ? false : 'syntax'

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
  if (Number.isNaN(ms)) return 'syntax'
  // The 30th of February is read as a day in March.
  if (date.slice(8) > '28' && !new Date(date).toISOString().startsWith(date)) return 'syntax'
  return ms * 1000 + (fraction === '' ? 0 : Number(fraction.padEnd(6, '0').slice(0, 6)))
}

const rfc3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
