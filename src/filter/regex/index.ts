import { regexCompiler } from './compile.ts'
import { shortSearch } from './shortcuts.ts'

export { plainSearch, type Regex, regexCompiler, type Search } from './compile.ts'
export { type RegexFault, RegexSyntaxError } from './error.ts'
export { shortSearch } from './shortcuts.ts'

/**
 * Compiles a pattern in RE2 syntax, that of Go's `regexp`, into a search that takes linear time on every text.
 *
 * The search is not anchored. A text is read by code points, so that `.` matches one emoji; half a surrogate pair is a
 * code point of its own. Unicode classes follow the host's version. A pattern that is equivalent to a few literals
 * becomes a string operation; any other runs in an automaton that is built at the first test and caches at most about 8
 * MiB.
 *
 * @param options - `ignoreCase` is `(?i)` for the whole pattern; errors quote the pattern as it was written
 * @throws RegexSyntaxError with Go's message and the offset in the pattern.
 */
export const compileRegex = /* @__PURE__ */ regexCompiler(shortSearch)
