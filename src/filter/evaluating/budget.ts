import type { Expression, Match } from '../ast.ts'
import { unwrap } from '../kinds/kind-of.ts'
import { shapeAt } from '../kinds/names.ts'
import type { Context } from './context.ts'

/** The maximum number of comparisons in one iteration of a quantifier; a long path counts as several. */
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
 * Whether testing a row may count steps: if not, no budget is started for each row. A comparison of a field of the
 * datum with one literal repeats nothing.
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
  // A map's keys have to be listed to know whether it is empty.
  ...(['is nil', 'is true', 'is false'] as const),
])

/** Other kinds are parsed from strings, which may be long. */
const plain: ReadonlySet<string> = new Set(['any', 'string', 'bool', 'int', 'uint', 'float32', 'float64'])
