/**
 * Filter expressions: `Status == "running" and "web" in Tags`, compiled once and tested against plain data.
 *
 * @packageDocumentation
 */
export type {
  Connective,
  Expression,
  Field,
  Match,
  Negation,
  Operator,
  Quantifier,
  Range,
  Selector,
  Value,
  Values,
} from './ast.ts'
export { type CheckOptions, check } from './check.ts'
export { compile } from './compile.ts'
export { type CompileOptions, type FilterCompiler, filterCompiler } from './compiler.ts'
export { describeFields, type FieldDescription } from './describe-fields.ts'
export { FilterError, type FilterErrorKind, type FilterProblem, type Span } from './error.ts'
export type { Evaluator, Filter } from './evaluator.ts'
export { type ExplainedLeaf, type Explanation, explain } from './explain.ts'
export { format } from './format.ts'
export { type Hint, hints } from './hints.ts'
export type { Limits } from './limits.ts'
export { parse } from './parse.ts'
export type { FilterPart } from './part.ts'
export {
  advice,
  builtExpressions,
  declaredKinds,
  fastClosures,
  fastPatterns,
  generatedCode,
  linearPatterns,
  schemaChecks,
} from './parts.ts'
export type { Comparable, Containable, Matchable, Selected, SelectorOf } from './paths.ts'
export type { Dialect, ParseOptions } from './read.ts'
export type { FilterSchema } from './schema.ts'
export type { Kind, Kinds, ScalarKind } from './shape.ts'
export { type SqlCondition, type SqlDialect, type SqlOptions, toSql } from './sql.ts'
export type { SqlColumn } from './sql-writer.ts'
export { type Where, where } from './where.ts'
