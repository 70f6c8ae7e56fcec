import type { Expression, Match, Quantifier } from '../ast.ts'

/** The surroundings of a position in a tree. */
export interface Place {
  /** The quantifiers in whose bodies it lies, outermost first. */
  readonly quantifiers: readonly Quantifier[]
  /** The comparison that contains it or precedes it. */
  readonly match: Match | undefined
}

/** Finds the place of an offset: the last comparison that begins before it. */
export function placeIn(tree: Expression, offset: number): Place {
  const quantifiers: Quantifier[] = []
  let node = tree
  for (;;) {
    switch (node.type) {
      case 'and':
      case 'or':
        node = node.operands.findLast(({ start }) => start <= offset) ?? (node.operands[0] as Expression)
        break
      case 'not':
        node = node.operand
        break
      case 'any':
      case 'all':
      case 'none':
        if (offset <= node.selector.end) return { quantifiers, match: undefined }
        quantifiers.push(node)
        node = node.body
        break
      case 'match':
        return { quantifiers, match: node }
      default:
        return node satisfies never
    }
  }
}
