/**
 * The filter language for CodeMirror 6: highlighting, completion and diagnostics. Needs the peers
 * `@codemirror/autocomplete`, `@codemirror/language`, `@codemirror/lint`, `@codemirror/state` and `@codemirror/view`.
 *
 * @packageDocumentation
 */
export { filterCompletion } from './completion.ts'
export type { FilterConfig } from './config.ts'
export { filter } from './language.ts'
export { type FilterLinterConfig, filterDiagnostics, filterLinter, filterLintSource } from './lint.ts'
