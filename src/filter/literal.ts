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
import type { ScalarType, Shape } from './shape.ts'

/** An integer literal, ready to be compared with either of JavaScript's numbers. */
export interface IntegerLiteral {
  /** NaN where no double equals it. */
  readonly number: number
  readonly bigint: bigint
}

/**
 * The text of a value, read as each kind the first time a field of that kind meets it.
 */
export class Literal {
  readonly text: string
  readonly #node: Value
  readonly #source: string
  #integer: IntegerLiteral | Misfit | undefined
  #unsigned: IntegerLiteral | Misfit | undefined
  #float: number | Misfit | undefined
  #time: number | 'syntax' | undefined

  constructor(node: Value, source: string) {
    this.text = node.text
    this.#node = node
    this.#source = source
  }

  integer(unsigned: boolean): IntegerLiteral | Misfit {
    if (unsigned) {
      this.#unsigned ??= integerLiteral(this.text, true)
      return this.#unsigned
    }
    this.#integer ??= integerLiteral(this.text, false)
    return this.#integer
  }

  float(): number | Misfit {
    this.#float ??= parseFloating(this.text)
    return this.#float
  }

  /** The float of half the width; what only a wider one could hold is out of range. */
  float32(): number | Misfit {
    const float = this.float()
    if (typeof float === 'string') return float
    const narrow = Math.fround(float)
    return Number.isFinite(float) && !Number.isFinite(narrow) ? 'range' : narrow
  }

  boolean(): boolean | 'syntax' {
    return parseBoolean(this.text)
  }

  /** Microseconds since 1970. */
  time(): number | 'syntax' {
    this.#time ??= parseTime(this.text)
    return this.#time
  }

  /** Nanoseconds; text in Go's syntax, or a plain number of them. */
  duration(): number | Misfit {
    const nanoseconds = parseNanoseconds(this.text)
    return nanoseconds === 'syntax' ? this.float() : nanoseconds
  }

  /** Why the text is no value of that kind, or `undefined` when it is one. */
  misfit(shape: Shape): Misfit | undefined {
    const read = this.read(shape)
    return read === 'syntax' || read === 'range' ? read : undefined
  }

  /** The text as a value of that kind; scalars only. */
  read(shape: Shape): IntegerLiteral | number | boolean | undefined | Misfit {
    switch (shape.type) {
      case 'int':
      case 'uint':
        return this.integer(shape.type === 'uint')
      case 'float32':
        return this.float32()
      case 'float64':
        return this.float()
      case 'bool':
        return this.boolean()
      case 'time':
        return this.time()
      case 'unix-ms':
      case 'unix-ns': {
        // A moment may be written as a time, or as the number itself.
        const time = this.time()
        if (time === 'syntax') return this.float()
        return shape.type === 'unix-ms' ? time / 1000 : time * 1000
      }
      case 'duration':
        return this.duration()
      default:
        return undefined
    }
  }

  /** The error of a text that is no value of that kind. */
  error(type: ScalarType, misfit: Misfit): FilterError {
    return this.errorOf('error getting match value in expression: ', type, misfit)
  }

  errorOf(prefix: string, type: ScalarType, misfit: Misfit): FilterError {
    const wanted = wantedTexts[type]
    const why =
      misfit === 'range'
        ? 'value out of range'
        : `invalid syntax${wanted === undefined ? '' : ` (${wanted} is wanted)`}`
    return new FilterError(
      'coercion',
      `${prefix}${parserNames[type] ?? `reading ${type}`}: parsing ${JSON.stringify(this.text)}: ${why}`,
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
