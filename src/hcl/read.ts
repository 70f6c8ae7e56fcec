import { type Refused, refuse } from '../kernel/index.ts'
import type { Body, Position } from './ast.ts'
import { parse } from './generated/hcl-parser.js'

/**
 * How much a text may ask of the reader.
 *
 * @public
 */
export interface HclLimits {
  /** Characters; 1 MiB by default. */
  readonly length?: number | undefined
  /** Braces, brackets and labels within each other; 100 by default. */
  readonly depth?: number | undefined
}

/** What reads a text: its body, or why not, with line and column in `detail` and in the message. */
export type HclRead = { readonly ok: true; readonly value: Body } | Refused<'hcl_syntax'>

/**
 * Reads the configuration language of policies and server files (HCL version 1: attributes, blocks with labels,
 * strings, heredocs, numbers, booleans, lists, objects, comments), or JSON when the text begins with `{`.
 *
 * @remarks
 * Within one body an attribute is given once. Any text is safe to read: length and nesting are limited, and the
 * result is lists of entries, so that a name like `__proto__` is an ordinary name.
 *
 * @returns the body, or `hcl_syntax` with `detail.line` and `detail.column`
 *
 * @public
 */
export function readHcl(text: string, limits: HclLimits = {}): HclRead {
  const { length = 1024 * 1024, depth = 100 } = limits
  if (text.length > length) return refuse('hcl_syntax', `the text is longer than ${length} characters`)
  try {
    return {
      ok: true,
      value: parse(text, {
        depth,
        fail: (message, start, _end, expected, location) => {
          throw new Unreadable(
            location?.start ?? placeOf(text, start),
            message ?? `expected ${list(expected ?? [])}, found ${found(text, start)}`,
          )
        },
      }),
    }
  } catch (error) {
    if (error instanceof Unreadable) return problemAt(error.at, error.message)
    throw error
  }
}

/** Leaves the parser, which cannot go on. */
class Unreadable extends Error {
  readonly at: Position

  constructor(at: Position, message: string) {
    super(message)
    this.at = at
  }
}

const placeOf = (text: string, offset: number): Position => {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

const end = 'end of input'

const found = (text: string, at: number): string => {
  const point = text.codePointAt(at)
  return point === undefined ? end : JSON.stringify(String.fromCodePoint(point))
}

/** What the grammar calls by a name stands as it is (names have a blank in them), a sign or keyword in quotes. */
function list(expected: readonly string[]): string {
  const names = [...new Set(expected)]
    // A byte order mark may begin a text, but nobody who reads this is short of one.
    .filter((what) => what !== '\uFEFF')
    .map((what) => (what === 'the end' ? end : what.includes(' ') ? what : JSON.stringify(what)))
    .sort()
  const last = names.pop() ?? 'nothing'
  return names.length < 2 ? [...names, last].join(' or ') : `${names.join(', ')}, or ${last}`
}

/**
 * Words a problem of a text as every reader of this package does: line and column first.
 *
 * @public
 */
export const problemAt = (
  { line, column }: Position,
  message: string,
  detail: { readonly [name: string]: unknown } = {},
): Refused<'hcl_syntax'> =>
  refuse('hcl_syntax', `line ${line}, column ${column}: ${message}`, { line, column, ...detail })
