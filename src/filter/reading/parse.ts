import { checkArguments } from '../../kernel/check-arguments.ts'
import { nearest } from '../../kernel/nearest.ts'
import { checkOptionNames } from '../../kernel/option-names.ts'
import { adviseSyntax } from '../advising/syntax-advice.ts'
import type { Expression } from '../ast.ts'
import { checkLimits } from './limits.ts'
import { type ParseOptions, parseOptions, read } from './read.ts'
import { remember } from './sources.ts'

/**
 * Parses a filter expression into plain data.
 *
 * @returns the syntax tree, every node with its offsets in the text
 * @throws {@link FilterError} of kind `parse` with the expected tokens and the position, or `limit`
 *
 * @remarks The {@link https://github.com/plinth-engines/plinth/blob/main/site/reference/filter.md | reference page} has
 * the whole language.
 *
 * @example
 * ```ts
 * import { parse } from 'plinth/filter'
 *
 * const expression = parse('Status == "running" and Priority != 50')
 * expression.type // 'and'
 * ```
 */
export function parse(source: string, options: ParseOptions = {}): Expression {
  checkArguments('source', source)
  checkOptionNames('parse', options, parseOptions, nearest)
  checkLimits(options.limits)
  return remember(source, read(source, options, adviseSyntax))
}
