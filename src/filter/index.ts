/**
 * Filter expressions: `Status == "running" and "web" in Tags`, compiled once and tested against plain data.
 *
 * @packageDocumentation
 */

// Start here

export { compile } from './compiling/compile.ts'
export {
  type CompleteOptions,
  type Completion,
  type CompletionOption,
  complete,
} from './completing/complete.ts'
export { FilterError, type FilterErrorKind, type FilterProblem, type Span } from './error.ts'
export { type ExplainedLeaf, type Explanation, explain } from './explaining/explain.ts'
export {
  type FilterQuery,
  type FilterQueryOptions,
  type FilterQueryProblem,
  type FilterQueryResult,
  filterQuery,
} from './query/filter-query.ts'
export { type PartialSqlCondition, type SqlCondition, type SqlOptions, toSql } from './sql/sql.ts'

// The rest, by kind

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
export { type CheckOptions, check } from './checking/check.ts'
export { describeFields, type FieldDescription } from './checking/describe-fields.ts'
export { type Columns, columns } from './columns/columns.ts'
export type { FacetValue, FilteredRows, PageOptions } from './columns/over.ts'
export { type CompileOptions, type FilterCompiler, filterCompiler } from './compiling/compiler.ts'
export type { Evaluator, Filter } from './compiling/evaluator.ts'
export type { FilterPart } from './compiling/part.ts'
export {
  advice,
  builtExpressions,
  declaredKinds,
  fastClosures,
  fastPatterns,
  generatedCode,
  linearPatterns,
  liveRows,
  schemaChecks,
} from './compiling/parts.ts'
export { type Hint, hints } from './explaining/hints.ts'
export { jsonSchema, type StandardJsonSchema } from './kinds/json-schema.ts'
export type { ParameterKind, Parameters, ParameterValues } from './kinds/parameters.ts'
export type { FilterSchema } from './kinds/schema.ts'
export type { Computed, Kind, Kinds, ScalarKind } from './kinds/shape.ts'
export type { Limits } from './reading/limits.ts'
export { parse } from './reading/parse.ts'
export type { Dialect, ParseOptions } from './reading/read.ts'
export type { SqlDialect } from './sql/databases.ts'
export type { SqlColumn, SqlColumns, SqlRows } from './sql/sql-writer.ts'
export { type Visitor, visit } from './visit.ts'
export { format } from './writing/format.ts'
export type { Comparable, Containable, Matchable, Selected, SelectorOf } from './writing/paths.ts'
export { type Deferred, type Where, where } from './writing/where.ts'
