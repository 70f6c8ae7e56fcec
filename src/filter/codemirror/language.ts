import { LanguageSupport, StreamLanguage } from '@codemirror/language'
import type { Dialect } from '../reading/read.ts'
import { filterCompletion } from './completion.ts'
import { checkConfig, type FilterConfig } from './config.ts'
import { nextToken, startOfExpression, type TokenizerState, type TokenKind } from './tokens.ts'

/**
 * Returns the filter language for a CodeMirror 6 editor: highlighting, bracket pairs, and completion for the editor's
 * `autocompletion()`. {@link filterLinter} adds the diagnostics.
 *
 * When the schema changes, reconfigure the compartment that holds it.
 *
 * @example
 * ```ts
 * import { EditorState } from '@codemirror/state'
 * import { filter, filterLinter } from 'plinth/filter/codemirror'
 * import * as z from 'zod'
 *
 * const schema = z.object({ Status: z.enum(['running', 'dead']), Count: z.int() })
 * const extensions = [filter({ schema }), filterLinter({ schema })]
 * EditorState.create({ doc: 'Status == "running" and Count > 3', extensions }).doc.length // 33
 * ```
 */
export function filter(config: FilterConfig = {}): LanguageSupport {
  checkConfig('filter', config)
  const language = languages[config.dialect ?? 'standard']
  return new LanguageSupport(language, [language.data.of({ autocomplete: filterCompletion(config) })])
}

/** The CodeMirror tags that themes style. */
const tags: Readonly<Record<TokenKind, string>> = {
  field: 'propertyName',
  keyword: 'keyword',
  operator: 'compareOperator',
  string: 'string',
  word: 'string',
  number: 'number',
  boolean: 'bool',
  moment: 'atom',
  parameter: 'variableName.special',
  name: 'variableName.definition',
  bracket: 'bracket',
  separator: 'separator',
  invalid: 'invalid',
}

const languageOf = (dialect: Dialect) =>
  StreamLanguage.define<TokenizerState>({
    name: dialect === 'standard' ? 'filter' : 'bexpr',
    startState: startOfExpression,
    token(stream, state) {
      const { end, kind } = nextToken(stream.string, stream.pos, state, dialect)
      stream.pos = end
      return kind === undefined ? null : tags[kind]
    },
    languageData: { closeBrackets: { brackets: ['(', '[', '{', '"', '`'] } },
  })

const languages: Readonly<Record<Dialect, StreamLanguage<TokenizerState>>> = {
  standard: languageOf('standard'),
  bexpr: languageOf('bexpr'),
}
