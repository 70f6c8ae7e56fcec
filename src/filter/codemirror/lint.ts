import { type Diagnostic, type LintSource, linter } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { check } from '../checking/check.ts'
import { FilterError, type FilterProblem, problemOf } from '../error.ts'
import { parse } from '../reading/parse.ts'
import { checkConfig, type FilterConfig } from './config.ts'

/**
 * Options of {@link filterLinter}.
 */
export interface FilterLinterConfig extends FilterConfig {
  /** How long after the last change the expression is checked, in milliseconds: 200 by default. */
  readonly delay?: number | undefined
}

/**
 * Returns an extension that underlines errors in an expression: its syntax, and with a schema also unknown fields,
 * unsuitable operators and values, and invalid patterns. If there is a suggestion, an action applies it. An empty
 * editor has no problems.
 */
export function filterLinter({ delay = 200, ...config }: FilterLinterConfig = {}): Extension {
  return linter(filterLintSource(config), { delay })
}

/**
 * Returns the source of {@link filterLinter} alone, for your own `linter()`.
 */
export function filterLintSource(config: FilterConfig = {}): LintSource {
  checkConfig('filterLintSource', config)
  return ({ state }) => {
    const text = state.doc.toString()
    return text.trim() === '' ? [] : filterDiagnostics(problemsOf(text, config))
  }
}

/**
 * Converts problems, as `check` returns them, into diagnostics for `setDiagnostics`: for an editor whose expression is
 * checked elsewhere, such as in a worker.
 *
 * @param length - the current length of the document, which diagnostics do not exceed; the problems may be those of an
 * older text
 */
export function filterDiagnostics(problems: readonly FilterProblem[], length = Infinity): Diagnostic[] {
  return problems.map(({ message, span, suggestion }) => ({
    from: Math.min(span.start, length),
    to: Math.min(span.end, length),
    severity: 'error',
    source: 'filter',
    message,
    ...(suggestion !== undefined && { actions: [useOf(suggestion)] }),
  }))
}

const useOf = (suggestion: string) =>
  ({
    name: `Use ${suggestion.trim()}`,
    apply: (view, from, to) =>
      view.dispatch({
        changes: { from, to, insert: suggestion },
        selection: { anchor: from + suggestion.length },
      }),
  }) satisfies NonNullable<Diagnostic['actions']>[number]

function problemsOf(
  text: string,
  { schema, dialect, parameters, kinds }: FilterConfig,
): readonly FilterProblem[] {
  const options = { ...(dialect && { dialect }), ...(parameters && { parameters }) }
  if (schema !== undefined) return check(text, schema, { ...options, ...(kinds && { kinds }) })
  try {
    parse(text, options)
    return []
  } catch (error) {
    if (error instanceof FilterError) return [problemOf(error)]
    throw error
  }
}
