import { type Refused, refuse } from '../kernel/index.ts'
import type { Body, Position } from './ast.ts'
import {
  type Expectation,
  type ParserOptions,
  parse,
  SyntaxError as Unreadable,
} from './generated/hcl-parser.js'

/**
 * The limits of a text.
 */
export interface HclLimits {
  /** Characters; 1 MiB by default. */
  readonly length?: number | undefined
  /** Braces, brackets and labels within each other; 100 by default. */
  readonly depth?: number | undefined
}

/** The default limits. */
const longest = 1024 * 1024
const deepest = 100

/** The result of reading a text: its body, or a refusal with line and column in `detail` and in the message. */
export type HclRead = { readonly ok: true; readonly value: Body } | Refused<'hcl_syntax'>

/**
 * Reads the configuration language of policies and server files (HCL version 1: attributes, blocks with labels,
 * strings, heredocs, numbers, booleans, lists, objects, comments), or JSON if the text begins with `{`.
 *
 * @remarks
 * An attribute may occur once in a body. Any text is safe to read: length and nesting are limited, and the result is
 * lists of entries, so that `__proto__` is an ordinary name.
 *
 * @returns the body, or `hcl_syntax` with `detail.line` and `detail.column`
 */
export function readHcl(text: string, limits: HclLimits = {}): HclRead {
  const { length = longest, depth = deepest } = limits
  if (text.length > length) return refuse('hcl_syntax', `the text is longer than ${length} characters`)
  return read(text, { depth, linesBefore: 0 })
}

/** Reads like {@link readHcl}, in steps: a long text is cut after lines that may end a block. */
export function* readingHcl(text: string): Generator<undefined, HclRead> {
  if (text.length > longest || text.length <= partLength) return readHcl(text)
  const bodies: Body[] = []
  let linesBefore = 0
  for (const { part, rest } of partsOf(text)) {
    const options = { depth: deepest, linesBefore, startRule: 'Part' } as const
    const one = read(part, options)
    // The line may be in a comment, a heredoc or a list: then the rest can only be read as a whole.
    const found = one.ok || part === rest ? one : read(rest, options)
    // JSON, or an attribute, which may occur only once in the whole text.
    if (!found.ok) return linesBefore === 0 ? readHcl(text) : found
    if (found.value.entries.some(({ assigned }) => assigned)) return readHcl(text)
    bodies.push(found.value)
    if (!one.ok) break
    for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) linesBefore += 1
    yield
  }
  const at = bodies[0]?.at ?? { line: 1, column: 1 }
  return { ok: true, value: { kind: 'object', entries: bodies.flatMap(({ entries }) => entries), at } }
}

/** The minimum number of characters per step, which ends with a block. */
const partLength = 4096

/** Cuts a text after lines that begin without indentation and end with `}`. */
function* partsOf(text: string): Generator<{ readonly part: string; readonly rest: string }> {
  const blockEnd = /^(?:\S.*)?}[ \t]*\r?\n/gm
  for (let begin = 0; begin < text.length; begin = blockEnd.lastIndex) {
    blockEnd.lastIndex = begin + partLength
    const rest = text.slice(begin)
    if (!blockEnd.test(text)) return yield { part: rest, rest }
    yield { part: text.slice(begin, blockEnd.lastIndex), rest }
  }
}

function read(text: string, options: ParserOptions): HclRead {
  try {
    return { ok: true, value: parse(text, options) }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const { message, expected, found, location } = error
    if (expected === null) return problemAt(location.start, message)
    const { line, column } = location.start
    return problemAt(
      { line: line + options.linesBefore, column },
      `expected ${list(expected)}, found ${found === null ? end : JSON.stringify(found)}`,
    )
  }
}

const end = 'end of input'

/** Lists names of rules, and tokens and keywords in quotes; character classes mean nothing to users. */
function list(expected: readonly Expectation[]): string {
  const names = [...new Set(expected.map(nameOf))].filter((name) => name !== undefined).sort()
  const last = names.pop() ?? 'nothing'
  return names.length < 2 ? [...names, last].join(' or ') : `${names.join(', ')}, or ${last}`
}

function nameOf(what: Expectation): string | undefined {
  if (what.type === 'end') return end
  if (what.type === 'other') return what.description
  // A byte order mark may begin a text; it is skipped.
  return what.type === 'literal' && what.text !== '\uFEFF' ? JSON.stringify(what.text) : undefined
}

/**
 * Refuses a text with a message in the form of all readers of this package: line and column first.
 */
export const problemAt = (
  { line, column }: Position,
  message: string,
  detail: { readonly [name: string]: unknown } = {},
): Refused<'hcl_syntax'> =>
  refuse('hcl_syntax', `line ${line}, column ${column}: ${message}`, { line, column, ...detail })
