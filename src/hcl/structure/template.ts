import type { Constant } from './model.ts'
import { notConstant, Scanner } from './scanner.ts'

/** Evaluates the constant within a `${…}`. */
type ReadConstant = (scanner: Scanner, lines: boolean) => Constant

type Part = { readonly text: string } | { readonly put: Constant }

/** The value of a string in quotes. */
export function stringTemplate(scanner: Scanner, read: ReadConstant): Constant {
  const parts: Part[] = []
  scanner.at += 1
  for (;;) {
    if (scanner.has('"')) return templateValue(parts)
    if (scanner.isAtEnd || scanner.next === '\n') scanner.fail('the string is not closed')
    parts.push(scanner.has('\\') ? { text: escaped(scanner) } : templatePart(scanner, read))
  }
}

/** The value of a heredoc: its lines with their ends; `<<-` removes the common indentation. */
export function heredocTemplate(scanner: Scanner, read: ReadConstant): Constant {
  const start = scanner.at
  scanner.skipHeredoc()
  const whole = scanner.text.slice(start, scanner.at)
  const lines = whole.slice(whole.indexOf('\n') + 1, whole.lastIndexOf('\n') + 1).match(/[^\n]*\n/g) ?? []
  const inside = new Scanner((whole.startsWith('<<-') ? unindented(lines) : lines).join(''))
  const parts: Part[] = []
  while (!inside.isAtEnd) parts.push(templatePart(inside, read))
  return templateValue(parts)
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

function templatePart(scanner: Scanner, read: ReadConstant): Part {
  for (const sign of ['$', '%']) if (scanner.has(`${sign}${sign}{`)) return { text: `${sign}{` }
  if (scanner.text.startsWith('%{', scanner.at) || scanner.text.startsWith('${~', scanner.at)) notConstant()
  if (scanner.has('${')) {
    const value = scanner.within(() => read(scanner, true))
    scanner.skipSpace({ lines: true })
    return scanner.has('}') ? { put: value } : notConstant()
  }
  const plain = scanner.take(/[^"\\$%\n]+|./sy)
  return { text: plain?.[0] ?? '' }
}

/** A template of a single value keeps its type; others become strings. */
function templateValue(parts: readonly Part[]): Constant {
  const [only] = parts
  if (parts.length === 1 && only && 'put' in only) return only.put
  return parts
    .map((part) => {
      if ('text' in part) return part.text
      return typeof part.put === 'object' ? notConstant() : String(part.put)
    })
    .join('')
}
