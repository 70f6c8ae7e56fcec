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

type Read = number | bigint | boolean | Misfit

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

const time = 'a time such as 2026-01-31T12:00:00Z'

/** For each kind that does not take any text: how a text is read, what is wanted, and who complains in Go. */
const readers = {
  int: [(text: string) => parseInteger(text, false), 'an integer', 'strconv.ParseInt'],
  uint: [(text: string) => parseInteger(text, true), 'an integer without a sign', 'strconv.ParseUint'],
  float32: [(text: string) => narrow(parseFloating(text)), 'a number', 'strconv.ParseFloat'],
  float64: [parseFloating, 'a number', 'strconv.ParseFloat'],
  bool: [parseBoolean, 'true or false', 'strconv.ParseBool'],
  time: [parseTime, time, 'reading time'],
  // A moment may be written as a time, or as the number itself; a duration in Go's syntax, or as nanoseconds.
  'unix-ms': [
    (text: string) => either(parseTime(text), text, (time) => time / 1000),
    time,
    'reading unix-ms',
  ],
  'unix-ns': [
    (text: string) => either(parseTime(text), text, (time) => time * 1000),
    time,
    'reading unix-ns',
  ],
  duration: [
    (text: string) => either(parseNanoseconds(text), text),
    'a duration such as 1h30m',
    'reading duration',
  ],
} as const satisfies Readonly<Record<string, readonly [(text: string) => Read, string, string]>>

export type Readable = keyof typeof readers
type ReadAs<Type extends Readable> = ReturnType<(typeof readers)[Type][0]>

export const isReadable = (type: string): type is Readable => Object.hasOwn(readers, type)

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
    this.#known[type] ??= readers[type][0](this.text)
    return this.#known[type] as ReadAs<Type> // what its own reader gave
  }

  /** The text as a value of that kind; throws where it is none. */
  value<Type extends Readable>(type: Type): Exclude<ReadAs<Type>, Misfit> {
    const read = this.read(type)
    if (typeof read === 'string') throw this.error(type, read)
    return read as Exclude<ReadAs<Type>, Misfit> // no string is left
  }

  /** The error of a text that is no value of that kind. */
  error(type: Readable, misfit: Misfit): FilterError {
    const [, wanted, reader] = readers[type]
    return new FilterError(
      'coercion',
      `error getting match value in expression: ${reader}: parsing ${JSON.stringify(this.text)}: ${misfit === 'range' ? 'value out of range' : `invalid syntax (${wanted} is wanted)`}`,
      this.#source,
      this.#node,
    )
  }
}
