import { nearest } from '../../kernel/nearest.ts'
import { advise } from '../advising/advise.ts'
import { refute } from '../checking/check.ts'
import { overRows } from '../columns/over.ts'
import { fast } from '../evaluating/fast-closure.ts'
import { knownPatterns } from '../evaluating/patterns.ts'
import { generate } from '../generating/codegen.ts'
import { tierUp } from '../generating/tier-up.ts'
import { allScalars, withKinds } from '../kinds/declared-kinds.ts'
import { shapeOfSchema } from '../kinds/schema.ts'
import { plainSearch, regexCompiler, shortSearch } from '../regex/index.ts'
import { format } from '../writing/format.ts'
import { type FilterPart, type Kit, kitOf, part } from './part.ts'

/**
 * `matches`, with the package's own engine for RE2 syntax. A compiler without it refuses every comparison with a
 * pattern, with an error of kind `regex`.
 */
export const linearPatterns: FilterPart = /* @__PURE__ */ part('linearPatterns', {
  patterns: (search = plainSearch) => knownPatterns(regexCompiler(search)),
})

/**
 * Speeds up `linearPatterns`: first looks for a string that every match begins with, contains or ends with.
 */
export const fastPatterns: FilterPart = /* @__PURE__ */ part('fastPatterns', { search: shortSearch })

/**
 * A fast path for the most common comparisons, several times faster than the general one.
 */
export const fastClosures: FilterPart = /* @__PURE__ */ part('fastClosures', { fast })

/**
 * The evaluator `codegen`, and `auto` switching to it: fastest, if the host allows code generation from strings.
 */
export const generatedCode: FilterPart = /* @__PURE__ */ part('generatedCode', {
  codegen: { generate, tierUp },
})

/**
 * The option `schema`, and all errors that do not depend on a row. Without it, a mistake such as an invalid pattern is
 * reported when a row reaches it.
 */
export const schemaChecks: FilterPart = /* @__PURE__ */ part('schemaChecks', {
  schemas: { shapeOfSchema, refute },
  scalars: allScalars,
})

/**
 * The option `kinds`. (A schema declares kinds without it.)
 */
export const declaredKinds: FilterPart = /* @__PURE__ */ part('declaredKinds', {
  withKinds,
  scalars: allScalars,
})

/**
 * Compiles expressions that were not parsed from a text, but built by hand or sent as JSON; without it, compile what
 * `format` writes.
 */
export const builtExpressions: FilterPart = /* @__PURE__ */ part('builtExpressions', { format })

/**
 * `filter.over(rows)`: results that are kept current while rows change.
 */
export const liveRows: FilterPart = /* @__PURE__ */ part('liveRows', { over: overRows })

/**
 * Suggestions in errors; without it, errors say what is wrong and what was expected.
 */
export const advice: FilterPart = /* @__PURE__ */ part('advice', { advise, suggest: nearest })

/** All parts, for `compile`. */
export const everything: Kit = /* @__PURE__ */ kitOf([
  linearPatterns,
  fastPatterns,
  fastClosures,
  generatedCode,
  schemaChecks,
  declaredKinds,
  builtExpressions,
  liveRows,
  advice,
])
