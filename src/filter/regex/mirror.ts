import { type Assertion, alternate, assert, concat, type Node, repeat } from './ast.ts'

const OPPOSITE = {
  'text-start': 'text-end',
  'text-end': 'text-start',
  'line-start': 'line-end',
  'line-end': 'line-start',
  word: 'word',
  'not-word': 'not-word',
} as const satisfies Record<Assertion, Assertion>

/** The pattern that matches backwards what this one matches forwards. */
export function mirror(node: Node): Node {
  switch (node.kind) {
    case 'group':
      return mirror(node.of)
    case 'assert':
      return assert(OPPOSITE[node.at])
    case 'concat':
      return concat(node.of.map(mirror).reverse())
    case 'alternate':
      return alternate(node.of.map(mirror))
    case 'repeat':
      return repeat(mirror(node.of), node.min, node.max)
    default:
      return node
  }
}

/** Whether every match touches that end of the text. */
export function isTied(node: Node, end: 'text-start' | 'text-end'): boolean {
  switch (node.kind) {
    case 'assert':
      return node.at === end
    case 'concat': {
      const part = end === 'text-start' ? node.of[0] : node.of.at(-1)
      return part !== undefined && isTied(part, end)
    }
    case 'alternate':
      return node.of.every((part) => isTied(part, end))
    default:
      return false
  }
}
