import { contextOf } from '../../../src/filter/compiling/context-of.ts'
import { sourceOf } from '../../../src/filter/generating/codegen.ts'
import {
  check,
  compile,
  type Dialect,
  type ExplainedLeaf,
  type Expression,
  explain,
  type FieldDescription,
  type Filter,
  FilterError,
  type FilterProblem,
  type Hint,
  hints,
  type SqlDialect,
  toSql,
} from '../../../src/filter/index.ts'
import { type JsonFault, readJson } from './json-text.ts'
import { inferSchema, type RowSchema, readSchema } from './schema.ts'

/** What the page asks of its worker. Rows and schema are sent only when they changed: they may be large. */
export interface Question {
  readonly id: number
  readonly expression: string
  readonly dialect: Dialect
  readonly sqlDialect: SqlDialect
  readonly rows?: string | undefined
  readonly schema?: string | undefined
  /** Which row is explained, counted from 0. */
  readonly chosen: number | undefined
  /** Whether rows that do not pass are shown, too. */
  readonly everything: boolean
}

/** A row that is shown. */
export interface ShownRow {
  readonly at: number
  readonly passes: boolean
  readonly row: unknown
}

/** What a row said when it could not be tested. */
export interface RowFault {
  readonly at: number
  readonly message: string
}

export interface Result {
  readonly id: number
  readonly rowsError: JsonFault | undefined
  readonly schemaError: string | undefined
  readonly problems: readonly FilterProblem[]
  readonly fields: readonly FieldDescription[]
  readonly total: number
  /** Left out where the expression cannot be compiled. */
  readonly found?: Found
}

export interface Found {
  readonly passed: number
  readonly microsecondsPerRow: number
  readonly shown: readonly ShownRow[]
  readonly faults: number
  readonly firstFault: RowFault | undefined
  readonly tree: Expression
  readonly sql: string
  readonly hints: readonly Hint[]
  /** What `compile` makes of the expression where the host allows `new Function`. */
  readonly code: string
  readonly explained: readonly ExplainedLeaf[] | undefined
}

/** More rows are counted, but not shown. */
export const mostShown = 200

/** Answers the questions of one page; keeps the rows between them. */
export function playgroundSession(): (question: Question) => Result {
  let rows: readonly unknown[] = []
  let rowsError: JsonFault | undefined
  let schemaText = ''
  let schemaError: string | undefined
  let known: RowSchema = inferSchema([])
  return (question) => {
    const { id, expression, dialect } = question
    if (question.rows !== undefined) {
      const read = readRows(question.rows)
      rowsError = read.error
      // Rows that cannot be read leave the last ones in place, so that the page does not flicker while they are typed.
      if (read.rows !== undefined) rows = read.rows
    }
    if (question.schema !== undefined) schemaText = question.schema
    if (question.rows !== undefined || question.schema !== undefined) {
      schemaError = undefined
      try {
        known = schemaText.trim() === '' ? inferSchema(rows) : readSchema(schemaText)
      } catch (error) {
        schemaError = messageOf(error)
        known = inferSchema(rows)
      }
    }
    const about = { id, rowsError, schemaError, fields: known.fields, total: rows.length }
    if (expression.trim() === '') return { ...about, problems: [] }
    const problems = check(expression, known.schema, { dialect })
    if (problems.length > 0) return { ...about, problems }
    try {
      const filter = compile(expression, { schema: known.schema, dialect })
      return { ...about, problems, found: find(filter, rows, question, known) }
    } catch (error) {
      if (error instanceof FilterError) return { ...about, problems: [error.toJSON()] }
      throw error
    }
  }
}

function readRows(text: string): { readonly rows?: readonly unknown[]; readonly error?: JsonFault } {
  const read = readJson(text)
  if ('fault' in read) return { error: read.fault }
  return Array.isArray(read.value)
    ? { rows: read.value }
    : { error: { message: 'rows are a JSON array, such as [{"Status": "running"}]' } }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function find(
  filter: Filter<unknown>,
  rows: readonly unknown[],
  { everything, chosen, sqlDialect }: Question,
  { fields }: RowSchema,
): Found {
  const shown: ShownRow[] = []
  let passed = 0
  let faults = 0
  let firstFault: RowFault | undefined
  const start = performance.now()
  for (const [at, row] of rows.entries()) {
    let passes = false
    try {
      passes = filter.test(row)
    } catch (error) {
      if (!(error instanceof FilterError)) throw error
      faults++
      firstFault ??= { at, message: error.message }
    }
    if (passes) passed++
    if ((passes || everything) && shown.length < mostShown) shown.push({ at, passes, row })
  }
  const elapsed = performance.now() - start
  return {
    passed,
    microsecondsPerRow:
      (faults === 0 ? settledTime(filter, rows, elapsed) : elapsed) * (1000 / Math.max(1, rows.length)),
    shown,
    faults,
    firstFault,
    tree: filter.ast,
    sql: sqlOf(filter, sqlDialect, fields),
    hints: hints(filter),
    code: codeOf(filter),
    explained: chosen === undefined || chosen >= rows.length ? undefined : leavesOf(filter, rows[chosen]),
  }
}

function leavesOf(filter: Filter<unknown>, row: unknown): readonly ExplainedLeaf[] | undefined {
  try {
    return explain(filter, row).leaves
  } catch (error) {
    if (error instanceof FilterError) return undefined
    throw error
  }
}

/** Few rows are tested again for some milliseconds: the first time over them is that of a host which still compiles. */
function settledTime(filter: Filter<unknown>, rows: readonly unknown[], first: number): number {
  const enough = 10
  if (first > enough || rows.length === 0) return first
  const start = performance.now()
  let rounds = 0
  do {
    filter.select(rows)
    rounds += 1
  } while (performance.now() - start < enough)
  return (performance.now() - start) / rounds
}

const codeOf = (filter: Filter<unknown>): string => sourceOf(filter.ast, contextOf(filter)).source

/** Each field is a column of its own name. */
function sqlOf(filter: Filter<unknown>, dialect: SqlDialect, fields: readonly FieldDescription[]): string {
  const columns = Object.fromEntries(fields.map(({ selector }) => [selector, selector]))
  try {
    const { text, values } = toSql(filter, { columns, dialect })
    const written = values.map((value) => (typeof value === 'bigint' ? `${value}` : JSON.stringify(value)))
    return `WHERE ${text}${written.length > 0 ? `\n-- values: ${written.join(', ')}` : ''}`
  } catch (error) {
    if (error instanceof FilterError) return `-- ${error.message}`
    throw error
  }
}
