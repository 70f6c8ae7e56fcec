import type { Constant, Evaluate, Scope } from './model.ts'
import { Scanner, Unreadable } from './scanner.ts'

/** Reads the expression within a `${…}`. */
type ReadExpression = (scanner: Scanner, lines: boolean) => Evaluate

type Part = { readonly text: string } | { readonly put: Evaluate; readonly raw: string }

/** The value of a string in quotes. */
export function stringTemplate(scanner: Scanner, read: ReadExpression): Evaluate {
  const parts: Part[] = []
  const start = scanner.at
  scanner.at += 1
  for (;;) {
    if (scanner.has('"')) return templateValue(parts, start)
    if (scanner.isAtEnd || scanner.next === '\n') scanner.fail('the string is not closed')
    parts.push(scanner.has('\\') ? { text: escaped(scanner) } : templatePart(scanner, read))
  }
}

/** The value of a heredoc: its lines with their ends; `<<-` removes the common indentation. */
export function heredocTemplate(scanner: Scanner, read: ReadExpression): Evaluate {
  const start = scanner.at
  scanner.skipHeredoc()
  const whole = scanner.text.slice(start, scanner.at)
  const lines = whole.slice(whole.indexOf('\n') + 1, whole.lastIndexOf('\n') + 1).match(/[^\n]*\n/g) ?? []
  const inside = new Scanner((whole.startsWith('<<-') ? unindented(lines) : lines).join(''))
  const parts: Part[] = []
  try {
    while (!inside.isAtEnd) parts.push(templatePart(inside, read))
  } catch (error) {
    // Its offsets are not those of the file.
    if (error instanceof Unreadable) scanner.fail(error.message, start)
    throw error
  }
  return templateValue(parts, start)
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

function templatePart(scanner: Scanner, read: ReadExpression): Part {
  for (const sign of ['$', '%']) if (scanner.has(`${sign}${sign}{`)) return { text: `${sign}{` }
  const start = scanner.at
  if (scanner.text.startsWith('%{', start) || scanner.text.startsWith('${~', start))
    scanner.fail('directives such as %{ if } and ${~ are not supported')
  if (scanner.has('${')) {
    const put = interpolation(scanner, read)
    return { put, raw: scanner.text.slice(start, scanner.at) }
  }
  const plain = scanner.take(/[^"\\$%\n]+|./sy)
  return { text: plain?.[0] ?? '' }
}

/** The expression of a `${…}`; what is none may be for the node, whose texts are not expressions. */
function interpolation(scanner: Scanner, read: ReadExpression): Evaluate {
  const start = scanner.at
  try {
    const put = scanner.within(() => read(scanner, true))
    scanner.skipSpace({ lines: true })
    if (scanner.has('}')) return put
    scanner.fail('expected "}"')
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
  if (parts.every((part) => 'text' in part)) {
    const text = parts.map((part) => ('text' in part ? part.text : '')).join('')
    return () => text
  }
  if (parts.length === 1 && only && 'put' in only) return (scope) => putInto(only, scope)
  return (scope) =>
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
}

const putInto = ({ put, raw }: Extract<Part, { readonly put: Evaluate }>, scope: Scope): Constant =>
  scope.keeps(raw) ? raw : put(scope)
