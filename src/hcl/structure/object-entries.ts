import type { Expression } from './model.ts'
import { Scanner, Unreadable } from './scanner.ts'

/**
 * The entries of an object expression, each value as text: `{ source = "a/b", aliases = [x.y] }`.
 *
 * @returns `undefined` if it is another expression: a `for`, a call
 */
export function objectEntries({ text, at }: Expression): ReadonlyMap<string, Expression> | undefined {
  const scanner = new Scanner(text)
  try {
    return scanner.has('{') ? entriesOf(scanner, at) : undefined
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

function entriesOf(scanner: Scanner, offset: number): ReadonlyMap<string, Expression> {
  const entries = new Map<string, Expression>()
  for (;;) {
    scanner.skipSpace({ lines: true })
    if (scanner.has('}')) return entries
    const key = scanner.name() ?? quotedName(scanner)
    scanner.skipSpace({ lines: false })
    if (!scanner.has('=') && !scanner.has(':')) scanner.fail('expected "="')
    scanner.skipSpace({ lines: false })
    const start = scanner.at
    let end = start
    while (!scanner.isAtLineEnd && scanner.next !== ',' && scanner.next !== '}') {
      scanner.skipToken()
      end = scanner.at
      scanner.skipSpace({ lines: false })
    }
    entries.set(key, { text: scanner.text.slice(start, end), at: offset + start })
    scanner.has(',')
  }
}

function quotedName(scanner: Scanner): string {
  const start = scanner.at
  if (scanner.next !== '"') scanner.fail('expected a name')
  scanner.skipString()
  return scanner.text.slice(start + 1, scanner.at - 1)
}
