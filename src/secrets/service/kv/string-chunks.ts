import { holdsMoreThan, type JsonLimits } from '../../../http/json-limits.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'

/**
 * A chunk of this many UTF-16 units fits into a sealed value: JSON needs up to seven bytes for a unit in a nested
 * string.
 */
const pieceUnits = 4 * 1024 * 1024
/** 32 MiB, the largest request, with a margin for programs that embed the service. */
const mostPieces = 12

const mostValues = 30_000
const mostInOne = 10_000

const tooMany = refuse(
  'secret_too_large',
  `the secret has more than ${mostValues} values, or more than ${mostInOne} in one object or list`,
)

/** A text in chunks that a store accepts: the first, and the others. */
export interface StringChunks {
  readonly head: string
  readonly more: readonly string[]
}

/**
 * How many values a secret may have, and the body of any request: reading and writing more would hold the process. The
 * original has the same limit for one object or list.
 */
export const secretLimits: JsonLimits = { all: mostValues, each: mostInOne }

/** Splits a text into chunks, never within a surrogate pair. Nearly every secret is a single chunk. */
export function splitString(text: string): StringChunks | Refused<'secret_too_large'> {
  if (holdsMoreThan(text, secretLimits)) return tooMany
  if (text.length <= pieceUnits) return { head: text, more: [] }
  const pieces: string[] = []
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + pieceUnits)
    const last = text.charCodeAt(end - 1)
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1
    pieces.push(text.slice(start, end))
    start = end
  }
  const [head = '', ...more] = pieces
  return pieces.length <= mostPieces
    ? { head, more }
    : refuse('secret_too_large', 'the secret is larger than 48 Mi characters')
}
