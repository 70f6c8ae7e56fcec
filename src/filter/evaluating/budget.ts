import type { Expression, Match } from '../ast.ts'
import { unwrap } from '../kinds/kind-of.ts'
import { shapeAt } from '../kinds/names.ts'
import type { Context } from './context.ts'

/** How many comparisons one turn of a quantifier makes at most; a long path counts as several. */
export function turnCost(node: Expression): number {
  switch (node.type) {
    case 'and':
    case 'or':
      return node.operands.reduce((sum, operand) => sum + turnCost(operand), 0)
    case 'not':
      return turnCost(node.operand)
    case 'match':
      return (
        1 +
        (node.selector.path.length >> 2) +
        (node.operand?.type === 'field' ? node.operand.selector.path.length >> 2 : 0)
      )
    case 'any':
    case 'all':
    case 'none':
      return 1 + (node.selector.path.length >> 2)
    default:
      return node satisfies never
  }
}

/**
 * Whether testing a row may count steps: what does not need not begin a budget for each row. A comparison of a field
 * of the datum with one literal has nothing to repeat.
 */
export function needsBudget(node: Expression, context: Context): boolean {
  switch (node.type) {
    case 'and':
    case 'or':
      return node.operands.some((operand) => needsBudget(operand, context))
    case 'not':
      return needsBudget(node.operand, context)
    case 'match':
      return !isOneLook(node, context)
    case 'any':
    case 'all':
    case 'none':
      return true
    default:
      return node satisfies never
  }
}

function isOneLook({ op, selector, operand, ignoreCase }: Match, context: Context): boolean {
  if (selector.path.length > 1 || ignoreCase || operand?.type === 'field') return false
  const isSmall = operand?.type !== 'values' || operand.values.length <= 16
  return isSmall && oneLook.has(op) && plain.has(unwrap(shapeAt(selector, context, undefined)).type)
}

const oneLook: ReadonlySet<Match['op']> = new Set<Match['op']>([
  ...(['==', 'one of', '<', '<=', '>', '>=', 'between'] as const),
  // Whether a map is empty is known once its keys are listed.
  ...(['is nil', 'is true', 'is false'] as const),
])

/** Other kinds are read from strings, which may be long. */
const plain: ReadonlySet<string> = new Set(['any', 'string', 'bool', 'int', 'uint', 'float32', 'float64'])
