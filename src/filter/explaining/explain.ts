import type { Expression } from '../ast.ts'
import { contextOf } from '../compiling/context-of.ts'
import type { Filter } from '../compiling/evaluator.ts'
import { locate, type Span } from '../error.ts'
import { closureOf } from '../evaluating/closures.ts'
import type { Context } from '../evaluating/context.ts'

/**
 * Why a filter returned its result.
 */
export interface Explanation {
  /** The result of {@link Filter.test}. */
  readonly result: boolean
  /** Every comparison and quantifier, in the order of the text. */
  readonly leaves: readonly ExplainedLeaf[]
}

/**
 * The contribution of one comparison or quantifier to the result.
 */
export interface ExplainedLeaf {
  readonly span: Span
  /** The text of the leaf. */
  readonly text: string
  /** Its result; `null` if it was not evaluated, because an earlier part decided. */
  readonly result: boolean | null
  /** Whether the result depends on it. */
  readonly decisive: boolean
}

/**
 * Returns the comparisons that decided the result for a datum: for a true `or`, the first true operand; for a false
 * `and`, the first false one; otherwise all of them.
 *
 * @throws {@link FilterError} if testing the datum would
 *
 * @example
 * ```ts
 * import { compile, explain } from 'plinth/filter'
 *
 * const filter = compile('Status == "running" and Priority == 50')
 * const { result, leaves } = explain(filter, { Status: 'dead', Priority: 50 })
 * result // false
 * leaves.filter((leaf) => leaf.decisive).map((leaf) => leaf.text) // ['Status == "running"']
 * ```
 */
export function explain<T>(filter: Filter<T>, datum: T): Explanation {
  const context = contextOf(filter)
  context.work.begin()
  const { result, leaves } = explained(filter.ast, context, datum)
  return { result, leaves: leaves.map((leaf) => leafOf(leaf, filter.source)) }
}

interface Leaf {
  readonly node: Expression
  readonly result: boolean | null
  readonly decisive: boolean
}

interface Explained {
  readonly result: boolean
  readonly leaves: readonly Leaf[]
}

function explained(node: Expression, context: Context, datum: unknown): Explained {
  switch (node.type) {
    case 'and':
    case 'or':
      return explainedChain(node.operands, node.type === 'or', context, datum)
    case 'not': {
      const { result, leaves } = explained(node.operand, context, datum)
      return { result: !result, leaves }
    }
    case 'match':
    case 'any':
    case 'all':
    case 'none': {
      const result = closureOf(node, context)(datum, undefined)
      return { result, leaves: [{ node, result, decisive: true }] }
    }
    default:
      return node satisfies never
  }
}

/** `or` is decided by its first true operand, `and` by its first false one. */
function explainedChain(
  operands: readonly Expression[],
  deciding: boolean,
  context: Context,
  datum: unknown,
): Explained {
  const leaves: Leaf[] = []
  let decided = false
  for (const operand of operands) {
    if (decided) {
      leaves.push(...unasked(operand))
      continue
    }
    const part = explained(operand, context, datum)
    decided = part.result === deciding
    if (decided) {
      const before = leaves.splice(0).map((leaf) => ({ ...leaf, decisive: false }))
      leaves.push(...before)
    }
    leaves.push(...part.leaves)
  }
  return { result: decided === deciding, leaves }
}

function unasked(node: Expression): Leaf[] {
  switch (node.type) {
    case 'and':
    case 'or':
      return node.operands.flatMap(unasked)
    case 'not':
      return unasked(node.operand)
    case 'match':
    case 'any':
    case 'all':
    case 'none':
      return [{ node, result: null, decisive: false }]
    default:
      return node satisfies never
  }
}

const leafOf = ({ node, result, decisive }: Leaf, source: string): ExplainedLeaf => ({
  span: locate(source, { start: node.start, end: node.end }),
  text: source.slice(node.start, node.end),
  result,
  decisive,
})
