import { refute } from './check.ts'
import { generate } from './codegen.ts'
import { hasten } from './fast-closure.ts'
import { type FilterPart, type Kit, part } from './part.ts'
import { compileRegex } from './regex/index.ts'
import { shapeOfSchema } from './schema.ts'
import { adviseSyntax } from './syntax-advice.ts'
import { warm } from './warm.ts'

/**
 * `matches`, by the package's own engine of RE2 syntax. A compiler without it refuses every comparison with a
 * pattern, with an error of kind `regex`.
 *
 * @public
 */
export const linearPatterns: FilterPart = /* @__PURE__ */ part('linearPatterns', {
  compilePattern: compileRegex,
})

/**
 * A short way for what comparisons nearly always meet, several times faster than the general one.
 *
 * @public
 */
export const fastClosures: FilterPart = /* @__PURE__ */ part('fastClosures', { hasten })

/**
 * The evaluator `codegen`, and `auto` turning to it: fastest, where the host lets text become code.
 *
 * @public
 */
export const generatedCode: FilterPart = /* @__PURE__ */ part('generatedCode', {
  codegen: { generate, warm },
})

/**
 * The option `schema`, and every refusal before a datum is seen. Without it, a mistake such as a bad pattern shows
 * when a datum gets there.
 *
 * @public
 */
export const schemaChecks: FilterPart = /* @__PURE__ */ part('schemaChecks', {
  schemas: { shapeOfSchema, refute },
})

/**
 * What was probably meant where a text cannot be read; without it, errors say what was expected.
 *
 * @public
 */
export const syntaxAdvice: FilterPart = /* @__PURE__ */ part('syntaxAdvice', { advise: adviseSyntax })

/** Everything there is, for `compile`. */
export const everything: Kit = {
  compilePattern: compileRegex,
  hasten,
  codegen: { generate, warm },
  schemas: { shapeOfSchema, refute },
  advise: adviseSyntax,
}
