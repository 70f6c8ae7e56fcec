import { loopNames, type ReadExpression, turns } from './loops.ts'
import type { Constant, Evaluate, Scope } from './model.ts'
import { Scanner, Unreadable } from './scanner.ts'

type Part = { readonly text: string } | { readonly put: Evaluate; readonly raw: string }

/** A template that is being read. */
interface Reading {
  readonly scanner: Scanner
  readonly read: ReadExpression
  /** Consumes the end of the template. */
  readonly isOver: () => boolean
  /** Reads plain text, or what begins an escape. */
  readonly plain: () => string
  /** Whether the whitespace that follows is dropped, as after `~}`. */
  trims: boolean
}

/** The value of a string in quotes. */
export function stringTemplate(scanner: Scanner, read: ReadExpression): Evaluate {
  const start = scanner.at
  scanner.at += 1
  const isOver = () => {
    if (scanner.has('"')) return true
    return scanner.isAtEnd || scanner.next === '\n' ? scanner.fail('the string is not closed') : false
  }
  const plain = () => (scanner.has('\\') ? escaped(scanner) : plainText(scanner))
  const { parts } = partsOf({ scanner, read, isOver, plain, trims: false }, [])
  return templateValue(parts, start)
}

/** The value of a heredoc: its lines with their ends; `<<-` removes the common indentation. */
export function heredocTemplate(scanner: Scanner, read: ReadExpression): Evaluate {
  const start = scanner.at
  scanner.skipHeredoc()
  const whole = scanner.text.slice(start, scanner.at)
  const lines = whole.slice(whole.indexOf('\n') + 1, whole.lastIndexOf('\n') + 1).match(/[^\n]*\n/g) ?? []
  const inside = new Scanner((whole.startsWith('<<-') ? unindented(lines) : lines).join(''))
  try {
    const isOver = () => inside.isAtEnd
    const plain = () => plainText(inside)
    const { parts } = scanner.within(() =>
      partsOf({ scanner: inside, read, isOver, plain, trims: false }, []),
    )
    return templateValue(parts, start)
  } catch (error) {
    // Its offsets are not those of the file.
    if (error instanceof Unreadable) scanner.fail(error.message, start)
    throw error
  }
}

/** Reads to the end of a template, or to one of the words that end a part of it, such as `endif`. */
function partsOf(
  reading: Reading,
  ends: readonly string[],
): { readonly parts: readonly Part[]; readonly end: string } {
  const { scanner } = reading
  const parts: Part[] = []
  const begun = scanner.at
  const add = (found: string) => {
    const text = reading.trims ? found.trimStart() : found
    if (text === '') return
    reading.trims = false
    const last = parts.at(-1)
    if (last !== undefined && 'text' in last) parts[parts.length - 1] = { text: last.text + text }
    else parts.push({ text })
  }
  const open = (sign: string): boolean => {
    if (!scanner.has(sign)) return false
    reading.trims = false
    const last = parts.at(-1)
    if (scanner.has('~') && last !== undefined && 'text' in last)
      parts[parts.length - 1] = { text: last.text.trimEnd() }
    return true
  }
  for (;;) {
    if (reading.isOver())
      return ends.length === 0 ? { parts, end: '' } : scanner.fail(`there is no %{ ${ends.at(-1)} }`, begun)
    const start = scanner.at
    const doubled = ['$', '%'].find((sign) => scanner.has(`${sign}${sign}{`))
    if (doubled !== undefined) add(`${doubled}{`)
    else if (open('${')) {
      const put = interpolation(reading)
      parts.push({ put, raw: scanner.text.slice(start, scanner.at) })
    } else if (open('%{')) {
      scanner.skipSpace({ lines: true })
      const word = scanner.name() ?? ''
      if (ends.includes(word)) {
        closed(reading)
        return { parts, end: word }
      }
      const put = scanner.within(() => directive(reading, word, start))
      parts.push({ put, raw: '%{' })
    } else add(reading.plain())
  }
}

/** Consumes the end of an interpolation or a directive. */
function closed(reading: Reading): void {
  const { scanner } = reading
  scanner.skipSpace({ lines: true })
  reading.trims = scanner.has('~')
  if (!scanner.has('}')) scanner.fail('expected "}"')
}

/** Reads `%{ if … }…%{ else }…%{ endif }` or `%{ for … }…%{ endfor }`, whose first word is read. */
function directive(reading: Reading, word: string, at: number): Evaluate {
  const { scanner, read } = reading
  if (word === 'if') {
    const condition = read(scanner, true)
    closed(reading)
    const yes = partsOf(reading, ['else', 'endif'])
    const no = yes.end === 'else' ? partsOf(reading, ['endif']) : { parts: [] }
    return (scope) => {
      const found = condition(scope)
      if (typeof found !== 'boolean') return scope.fail('a condition is true or false', at)
      return textOf(found ? yes.parts : no.parts, scope, at)
    }
  }
  if (word !== 'for')
    return scanner.fail(`there is no %{ ${word} } here; %{ if } and %{ for } begin a part`, at)
  const loop = loopNames(scanner, at, read)
  closed(reading)
  const { parts } = partsOf(reading, ['endfor'])
  const length = scanner.at - at
  return (scope) =>
    scope.made([...turns(loop, scope, length)].map((each) => textOf(parts, each, at)).join(''), at)
}

function unindented(lines: readonly string[]): readonly string[] {
  const indent = (line: string) => /^[ \t]*/.exec(line)?.[0].length ?? 0
  const written = lines.filter((line) => line.trim() !== '')
  const shared = written.reduce((least, line) => Math.min(least, indent(line)), Number.POSITIVE_INFINITY)
  return lines.map((line) => line.slice(Math.min(shared, indent(line))))
}

const signs: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }

function escaped(scanner: Scanner): string {
  const digits = scanner.take(/u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})/y)
  const point = digits && Number.parseInt(digits[1] ?? digits[2] ?? '', 16)
  if (point !== undefined)
    return point <= 0x10ffff ? String.fromCodePoint(point) : scanner.fail('there is no such character')
  const sign = signs[scanner.next] ?? scanner.fail('unknown escape; a backslash itself is written \\\\')
  scanner.at += 1
  return sign
}

/** Plain text, up to what may begin something else. */
const plainText = (scanner: Scanner): string => scanner.take(/[^"\\$%\n]+|./sy)?.[0] ?? ''

/** The expression of a `${…}`; what is none may be for the node, whose texts are not expressions. */
function interpolation(reading: Reading): Evaluate {
  const { scanner, read } = reading
  const start = scanner.at
  try {
    const put = scanner.within(() => read(scanner, true))
    closed(reading)
    return put
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    scanner.resume(start)
    scanner.skipUntilClosed('}'.charCodeAt(0), start)
    return (scope) => scope.fail(error.message, error.at)
  }
}

/** A template of a single value keeps its type; others become strings. */
function templateValue(parts: readonly Part[], at: number): Evaluate {
  const [only] = parts
  if (only === undefined) return () => ''
  if (parts.length > 1) return (scope) => textOf(parts, scope, at)
  return 'put' in only ? (scope) => putInto(only, scope) : () => only.text
}

const textOf = (parts: readonly Part[], scope: Scope, at: number): string =>
  scope.made(
    parts
      .map((part) => {
        if ('text' in part) return part.text
        const value = putInto(part, scope)
        return typeof value === 'object'
          ? scope.fail('a list, an object or null cannot be part of a text', at)
          : String(value)
      })
      .join(''),
    at,
  )

const putInto = ({ put, raw }: Extract<Part, { readonly put: Evaluate }>, scope: Scope): Constant =>
  scope.keeps(raw) ? raw : put(scope)
