import type { Value } from './ast.ts'
import {
  type Misfit,
  parseBoolean,
  parseFloating,
  parseInteger,
  parseNanoseconds,
  parseTime,
} from './coerce.ts'
import { FilterError } from './error.ts'
import type { ScalarType } from './shape.ts'

/** An integer literal, ready to be compared with either of JavaScript's numbers. */
export interface IntegerLiteral {
  /** NaN where no double equals it. */
  readonly number: number
  readonly bigint: bigint
}

type Read = IntegerLiteral | number | boolean | Misfit

/** How the text of a literal is read as each kind; the others take any text. */
const readers = {
  int: (text: string) => integerLiteral(text, false),
  uint: (text: string) => integerLiteral(text, true),
  float32: (text: string) => narrow(parseFloating(text)),
  float64: parseFloating,
  bool: parseBoolean,
  time: parseTime,
  // A moment may be written as a time, or as the number itself; a duration in Go's syntax, or as nanoseconds.
  'unix-ms': (text: string) => either(parseTime(text), text, (time) => time / 1000),
  'unix-ns': (text: string) => either(parseTime(text), text, (time) => time * 1000),
  duration: (text: string) => either(parseNanoseconds(text), text),
} satisfies Partial<Record<ScalarType, (text: string) => Read>>

type Readable = keyof typeof readers
type ReadAs<Type extends Readable> = ReturnType<(typeof readers)[Type]>

/**
 * The text of a value, read as each kind the first time a field of that kind meets it.
 */
export class Literal {
  readonly text: string
  readonly #node: Value
  readonly #source: string
  readonly #known: Partial<Record<Readable, Read>> = {}

  constructor(node: Value, source: string) {
    this.text = node.text
    this.#node = node
    this.#source = source
  }

  /** The text as a value of that kind, or why it is none. */
  read<Type extends Readable>(type: Type): ReadAs<Type> {
    this.#known[type] ??= readers[type](this.text)
    return this.#known[type] as ReadAs<Type> // what its own reader gave
  }

  /** The text as a value of that kind; throws where it is none. */
  value<Type extends Readable>(type: Type): Exclude<ReadAs<Type>, Misfit> {
    const read = this.read(type)
    if (isMisfit(read)) throw this.error(type, read)
    return read as Exclude<ReadAs<Type>, Misfit> // no string is left
  }

  /** Why the text is no value of that kind, or `undefined` where it is one, or the kind takes any text. */
  misfit(type: string): Misfit | undefined {
    const read = isReadable(type) ? this.read(type) : undefined
    return isMisfit(read) ? read : undefined
  }

  /** The error of a text that is no value of that kind. */
  error(type: ScalarType, misfit: Misfit): FilterError {
    const wanted = wantedTexts[type]
    const why =
      misfit === 'range'
        ? 'value out of range'
        : `invalid syntax${wanted === undefined ? '' : ` (${wanted} is wanted)`}`
    return new FilterError(
      'coercion',
      `error getting match value in expression: ${parserNames[type] ?? `reading ${type}`}: parsing ${JSON.stringify(this.text)}: ${why}`,
      this.#source,
      this.#node,
    )
  }
}

const parserNames: Readonly<Partial<Record<ScalarType, string>>> = {
  int: 'strconv.ParseInt',
  uint: 'strconv.ParseUint',
  float32: 'strconv.ParseFloat',
  float64: 'strconv.ParseFloat',
  bool: 'strconv.ParseBool',
}

const time = 'a time such as 2026-01-31T12:00:00Z'
const wantedTexts: Readonly<Partial<Record<ScalarType, string>>> = {
  int: 'an integer',
  uint: 'an integer without a sign',
  float32: 'a number',
  float64: 'a number',
  bool: 'true or false',
  time,
  'unix-ms': time,
  'unix-ns': time,
  duration: 'a duration such as 1h30m',
}

function integerLiteral(text: string, unsigned: boolean): IntegerLiteral | Misfit {
  const bigint = parseInteger(text, unsigned)
  if (typeof bigint === 'string') return bigint
  const number = Number(bigint)
  return { number: BigInt(number) === bigint ? number : Number.NaN, bigint }
}

export const isReadable = (type: string): type is Readable => Object.hasOwn(readers, type)

const isMisfit = (read: Read | undefined): read is Misfit => typeof read === 'string'

/** A float of half the width; what only a wider one could hold is out of range. */
const narrow = (float: number | Misfit): number | Misfit => {
  if (typeof float === 'string') return float
  const narrow = Math.fround(float)
  return Number.isFinite(float) && !Number.isFinite(narrow) ? 'range' : narrow
}

const either = (
  read: number | 'syntax',
  text: string,
  scaled: (read: number) => number = (read) => read,
): number | Misfit => (read === 'syntax' ? parseFloating(text) : scaled(read))
