import type { Connective, Expression, Match, Negation, Quantifier } from './ast.ts'

/**
 * What {@link visit} does with each type of node. `on` visits a node below: the operands of a connective or a negation, the
 * body of a quantifier; what is not asked for is not visited.
 */
export interface Visitor<Result> {
  /** `and` and `or`. */
  readonly connective: (node: Connective, on: (operand: Expression) => Result) => Result
  /** `not`. */
  readonly negation: (node: Negation, on: (operand: Expression) => Result) => Result
  /** One comparison. */
  readonly match: (node: Match) => Result
  /** `any`, `all` and `none`. */
  readonly quantifier: (node: Quantifier, on: (body: Expression) => Result) => Result
}

/**
 * Visits a syntax tree: calls the function of a visitor for the type of its root, and returns the result. It is the
 * frame of a back end: see "Write your own back end" in the guides.
 *
 * @example
 * ```ts
 * import { parse, visit, type Visitor } from 'plinth/filter'
 *
 * const fields: Visitor<string[]> = {
 *   connective: ({ operands }, on) => operands.flatMap(on),
 *   negation: ({ operand }, on) => on(operand),
 *   match: ({ selector }) => [selector.path.join('.')],
 *   quantifier: ({ selector }) => [selector.path.join('.')],
 * }
 * visit(parse('Status == dead and not (Owner.Name == me or Priority > 5)'), fields) // ['Status', 'Owner.Name', 'Priority']
 * ```
 */
export function visit<Result>(node: Expression, visitor: Visitor<Result>): Result {
  const on = (below: Expression): Result => visit(below, visitor)
  switch (node.type) {
    case 'and':
    case 'or':
      return visitor.connective(node, on)
    case 'not':
      return visitor.negation(node, on)
    case 'match':
      return visitor.match(node)
    default:
      return visitor.quantifier(node, on)
  }
}
