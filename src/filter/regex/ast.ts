import type { Ranges } from './ranges.ts'

/** A position between two code points, or at an end of the text. */
export type Assertion = 'text-start' | 'text-end' | 'line-start' | 'line-end' | 'word' | 'not-word'

/** The measures by which Go refuses patterns that would compile too large. */
interface Measured {
  /** The number of instructions. */
  readonly size: number
  /** The nesting depth. */
  readonly height: number
  /** The largest product of counts of nested repeats. */
  readonly copies: number
}

/** A parsed pattern. Greediness and group names are dropped: they cannot change whether there is a match. */
export type Node = Measured &
  (
    | { readonly kind: 'empty' }
    | { readonly kind: 'set'; readonly ranges: Ranges }
    | { readonly kind: 'assert'; readonly at: Assertion }
    | { readonly kind: 'group'; readonly of: Node }
    | { readonly kind: 'concat'; readonly of: readonly Node[] }
    | { readonly kind: 'alternate'; readonly of: readonly Node[] }
    | { readonly kind: 'repeat'; readonly of: Node; readonly min: number; readonly max: number }
  )

const leaf = { size: 1, height: 1, copies: 1 } as const

/** The empty pattern, which matches everywhere. */
export const empty: Node = { kind: 'empty', size: 1, height: 1, copies: 1 }
export const set = (ranges: Ranges): Node => ({ kind: 'set', ranges, ...leaf })
export const assert = (at: Assertion): Node => ({ kind: 'assert', at, ...leaf })

export const group = (of: Node): Node => ({
  kind: 'group',
  of,
  size: of.size + 2,
  height: of.height + 1,
  copies: of.copies,
})

/** A concatenation. */
export function concat(parts: readonly Node[]): Node {
  const of = parts.some(({ kind }) => kind === 'concat') ? parts.flatMap(flatConcat) : parts
  const [first = empty] = of
  if (of.length < 2) return first
  const text = of.every(({ kind }) => kind === 'set')
  return { kind: 'concat', of, ...measure(of, 0, text ? 0 : 1) }
}

/** An alternation. */
export function alternate(parts: readonly Node[]): Node {
  const of = parts.some(({ kind }) => kind === 'alternate') ? parts.flatMap(flatAlternate) : parts
  const [first = empty] = of
  return of.length < 2 ? first : { kind: 'alternate', of, ...measure(of, of.length - 1, 1) }
}

/** A repetition, `min` to `max` times; `max` may be infinite. */
export function repeat(of: Node, min: number, max: number): Node {
  const times = max === Infinity ? min : max
  return {
    kind: 'repeat',
    of,
    min,
    max,
    size: Math.max(1, max === Infinity ? min * of.size + (min > 0 ? 1 : 2) : max * of.size + max - min),
    height: of.height + 1,
    copies: max === 0 ? 1 : Math.max(1, times) * of.copies,
  }
}

const flatConcat = (node: Node): readonly Node[] => (node.kind === 'concat' ? node.of : [node])
const flatAlternate = (node: Node): readonly Node[] => (node.kind === 'alternate' ? node.of : [node])

function measure(of: readonly Node[], size: number, level: number): Measured {
  let height = 0
  let copies = 1
  for (const node of of) {
    size += node.size
    height = Math.max(height, node.height)
    copies = Math.max(copies, node.copies)
  }
  return { size, height: height + level, copies }
}
