import { alternate, concat, empty, type Node, repeat, set } from './ast.ts'
import { normalise, type Ranges } from './ranges.ts'

/**
 * Rewrites a pattern to a smaller one that matches exactly the same texts. Only whether there is a match counts, so
 * groups vanish, one-character alternatives become one set, and optional parts at either edge are dropped: `.*a{2,9}`
 * is equivalent to `a{2}`.
 */
export const simplify = (node: Node): Node => trim(trim(merge(node), 'start'), 'end')

function merge(node: Node): Node {
  switch (node.kind) {
    case 'group':
      return merge(node.of)
    case 'concat':
      return concat(node.of.map(merge).filter(({ kind }) => kind !== 'empty'))
    case 'alternate':
      return mergeAlternatives(node.of.map(merge))
    case 'repeat':
      return mergeRepeat(merge(node.of), node.min, node.max)
    default:
      return node
  }
}

function mergeAlternatives(parts: readonly Node[]): Node {
  const ranges: Ranges[] = []
  const rest: Node[] = []
  for (const part of parts) {
    if (part.kind === 'set') ranges.push(part.ranges)
    else if (part.kind !== 'empty' || !rest.includes(empty)) rest.push(part)
  }
  if (ranges.length > 0) rest.unshift(set(ranges.length > 1 ? normalise(ranges.flat()) : (ranges[0] ?? [])))
  return alternate(rest)
}

function mergeRepeat(of: Node, min: number, max: number): Node {
  if (max === 0 || of.kind === 'empty') return empty
  if (min === 1 && max === 1) return of
  const star = of.kind === 'repeat' && of.min === 0 && of.max === Infinity
  return star ? of : repeat(of, min, max)
}

/** Drops what is optional at one edge of the whole pattern. */
function trim(node: Node, edge: 'start' | 'end'): Node {
  switch (node.kind) {
    case 'repeat':
      if (node.min === 0) return empty
      return node.min === 1 ? trim(node.of, edge) : repeat(node.of, node.min, node.min)
    case 'concat':
      return trimConcat(node.of, edge)
    case 'alternate': {
      const parts = node.of.map((part) => trim(part, edge))
      return parts.some(({ kind }) => kind === 'empty') ? empty : mergeAlternatives(parts)
    }
    default:
      return node
  }
}

function trimConcat(of: readonly Node[], edge: 'start' | 'end'): Node {
  const parts = [...of]
  for (;;) {
    const last = edge === 'start' ? parts.shift() : parts.pop()
    if (last === undefined) return empty
    const kept = trim(last, edge)
    if (kept.kind !== 'empty') return concat(edge === 'start' ? [kept, ...parts] : [...parts, kept])
  }
}
