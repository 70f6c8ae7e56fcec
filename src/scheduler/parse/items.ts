import type { Position } from '../../hcl/index.ts'
import { type Evaluate, expression, type Scanner } from '../../hcl/structure/index.ts'

/** An item of a file before its expressions are evaluated. */
export interface Item {
  readonly keys: readonly { readonly text: string; readonly at: number }[]
  readonly value:
    | { readonly evaluate: Evaluate; readonly text: string; readonly at: number }
    | readonly Item[]
}

/** The positions of offsets. */
export function positions(text: string): (at: number) => Position {
  const starts = [0]
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1)
  return (at) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: at - (starts[low] ?? 0) + 1 }
  }
}

/** Reads items to the end of the text, or of their block. */
export function itemsOf(scanner: Scanner, start?: number): readonly Item[] {
  const items: Item[] = []
  for (;;) {
    scanner.skipSpace({ lines: true })
    if (scanner.isAtEnd) {
      if (start !== undefined) scanner.fail('expected "}" to close the block', scanner.at)
      return items
    }
    if (start !== undefined && scanner.has('}')) return items
    items.push(itemOf(scanner))
    scanner.skipSpace({ lines: true })
    scanner.has(',')
  }
}

function itemOf(scanner: Scanner): Item {
  const keys: { readonly text: string; readonly at: number }[] = []
  for (;;) {
    scanner.skipSpace({ lines: keys.length === 0 })
    const { at } = scanner
    if (keys.length > 0 && scanner.has('{'))
      return { keys, value: scanner.within(() => itemsOf(scanner, at)) }
    if (keys.length === 1 && scanner.has('=')) {
      scanner.skipSpace({ lines: false })
      const from = scanner.at
      const evaluate = expression(scanner, false)
      return { keys, value: { evaluate, text: scanner.text.slice(from, scanner.at).trim(), at: from } }
    }
    const text = scanner.next === '"' ? labelOf(scanner) : scanner.name()
    if (text === undefined)
      return scanner.fail(
        keys.length === 0
          ? `expected a name, found ${JSON.stringify(scanner.next)}`
          : `expected "=", a label or "{" after ${keys[0]?.text}, found ${scanner.isAtEnd ? 'end of input' : JSON.stringify(scanner.next)}`,
      )
    keys.push({ text, at })
  }
}

function labelOf(scanner: Scanner): string {
  const start = scanner.at
  scanner.skipString()
  const text = scanner.text.slice(start + 1, scanner.at - 1)
  if (/[$%]\{/.test(text)) scanner.fail('a label is plain text, without a template', start)
  return text.replace(/\\(["\\])/g, '$1')
}
