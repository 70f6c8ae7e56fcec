import { createReadStream } from 'node:fs'
import { type CompileOptions, compile, type Filter, FilterError, type Kinds } from '../../filter/index.ts'
import { isScalarKind, scalarKinds } from '../../filter/kinds/scalar-kinds.ts'
import { parsedJson } from '../../kernel/decoded.ts'
import { nearest } from '../../kernel/nearest.ts'
import { whyNot } from '../file-text.ts'
import { outputFailure, writeOutput } from '../output.ts'
import { UserError } from '../user-error.ts'
import { arrayRows } from './array-rows.ts'

/** The arguments of `plinth filter`. */
export interface FilterRequest {
  readonly expression: string
  /** Standard input if `undefined` or `-`. */
  readonly file: string | undefined
  readonly count: boolean
  readonly dialect: CompileOptions<unknown>['dialect']
  /** Whether rows may lack fields that the expression names. */
  readonly lenient: boolean
  /** Kinds of fields that JSON rows do not tell, as `FIELD=KIND`. */
  readonly kind: readonly string[]
  /** Whether to measure the expression instead of printing rows. */
  readonly bench: boolean
  readonly against: string | undefined
  readonly json: boolean
}

/** Filters JSON rows: exit code 0 if any row matches, 1 if none does, 2 for an error. */
export async function filterCommand(request: FilterRequest): Promise<number> {
  outputFailure.exitCode = 2
  const { bench, against, json } = request
  if (!bench && (against !== undefined || json))
    throw new UserError(`--${json ? 'json' : 'against'} goes with --bench`, 2)
  if (bench) {
    const { benchFilter } = await import('./bench.ts')
    const { expression, file } = request
    const measure = (evaluator: CompileOptions<unknown>['evaluator']) => compiled(request, evaluator)
    try {
      return await benchFilter({ expression, file, against, json, compiled: measure })
    } catch (error) {
      if (!(error instanceof FilterError)) throw error
      throw new UserError(`${file}: ${forPeople(error)}`, 2)
    }
  }
  const filter = compiled(request)
  const name = request.file === undefined || request.file === '-' ? 'standard input' : request.file
  const input = name === request.file ? createReadStream(name, 'utf8') : process.stdin.setEncoding('utf8')
  const passed = await filterText(readable(input, name), filter, request.count, name)
  if (request.count) await writeOutput(`${passed}\n`)
  return passed > 0 ? 0 : 1
}

function compiled(
  { expression, dialect = 'standard', lenient, kind }: FilterRequest,
  evaluator: CompileOptions<unknown>['evaluator'] = 'auto',
): Filter<unknown> {
  try {
    const missing = lenient ? 'null' : 'error'
    return compile(expression, { dialect, evaluator, kinds: statedKinds(kind), missing })
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    // Syntax errors include their position already.
    const { line, column } = error.span
    const place = /^\d+:\d+:/.test(error.message) ? '' : `${line}:${column}: `
    throw new UserError(`the expression is wrong at ${place}${error.message}`, 2)
  }
}

/** The kinds given with `--kind FIELD=KIND`. */
const statedKinds = (stated: readonly string[]): Kinds =>
  Object.fromEntries(
    stated.map((one) => {
      const [, field = '', kind = ''] = /^([^=]+)=(.+)$/.exec(one) ?? []
      if (isScalarKind(kind)) return [field, kind]
      throw new UserError(
        `--kind ${one}: write FIELD=KIND, where KIND is one of ${[...scalarKinds].join(', ')}`,
        2,
      )
    }),
  )

/** The chunks of a stream; an error that names the file if it cannot be read. */
async function* readable(input: AsyncIterable<string>, name: string): AsyncGenerator<string> {
  try {
    let first = true
    for await (const chunk of input) {
      yield first ? chunk.replace(/^\uFEFF/, '') : chunk
      first = false
    }
  } catch (error) {
    throw new UserError(`cannot read ${name}: ${whyNot(error)}`, 2)
  }
}

/** Rows of an array or, if the text does not begin with one, of lines. Returns the number of matching rows. */
async function filterText(
  chunks: AsyncGenerator<string>,
  filter: Filter<unknown>,
  count: boolean,
  name: string,
): Promise<number> {
  let start = ''
  while (start.trim() === '') {
    const { done, value } = await chunks.next()
    if (done === true) return 0
    start += value
  }
  if (!start.trimStart().startsWith('[')) return filterLines(start, chunks, filter, count, name)
  // An array is parsed as a whole: parts of it are not valid JSON.
  const pieces = [start]
  for await (const piece of chunks) pieces.push(piece)
  return filterArray(pieces.join(''), filter, count, name)
}

async function filterArray(
  text: string,
  filter: Filter<unknown>,
  count: boolean,
  name: string,
): Promise<number> {
  const array = arrayRows(text)
  if (array === undefined)
    throw new UserError(
      `${name} begins with [ but is not a JSON array: is it cut off, or followed by more?`,
      2,
    )
  const passed = array.rows.filter((row, index) => passes(row, filter, `${name}: row ${index + 1}`))
  if (!count) {
    const last = passed.at(-1)?.trimEnd()
    const rows = last === undefined ? [] : [...passed.slice(0, -1), last]
    await writeOutput(`[${rows.join(',')}${rows.length === 0 ? '' : array.end}]\n`)
  }
  return passed.length
}

/** One row per line, which is written unchanged; only the incomplete last line is buffered. */
async function filterLines(
  start: string,
  chunks: AsyncGenerator<string>,
  filter: Filter<unknown>,
  count: boolean,
  name: string,
): Promise<number> {
  let passed = 0
  let number = 0
  const filterSome = async (lines: readonly string[]): Promise<boolean> => {
    let output = ''
    let read = true
    try {
      for (const line of lines) {
        number += 1
        if (line.trim() === '' || !passes(line, filter, `${name}: line ${number}`)) continue
        passed += 1
        if (!count) output += `${line}\n`
      }
    } finally {
      // Matches before a broken line are written before the error.
      if (output !== '') read = await writeOutput(output)
    }
    return read
  }
  let [lines, rest] = wholeLines(start)
  let read = await filterSome(lines)
  for await (const chunk of chunks) {
    // Stop reading if the reader of the output has left.
    if (!read) return passed
    ;[lines, rest] = wholeLines(rest + chunk)
    read = await filterSome(lines)
  }
  await filterSome(rest === '' ? [] : [rest])
  return passed
}

function wholeLines(text: string): [lines: readonly string[], rest: string] {
  const end = text.lastIndexOf('\n')
  return end < 0 ? [[], text] : [text.slice(0, end).split('\n'), text.slice(end + 1)]
}

function passes(row: string, filter: Filter<unknown>, where: string): boolean {
  const datum = parsedJson(row)
  if (datum === undefined) throw new UserError(`${where} is not valid JSON`, 2)
  try {
    return filter.test(datum)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw new UserError(`${where}: ${forPeople(error, datum)}`, 2)
  }
}

/** The field of the row that a misspelt one of the expression probably meant, as part of a message. */
function didYouMean({ kind, message }: FilterError, row: unknown): string {
  const [, name] = /^(.*): there is no field "\1"/.exec(message) ?? []
  if (kind !== 'not-found' || name === undefined) return ''
  const meant = nearest(name, Object.keys(Object(row)))
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

function forPeople(error: FilterError, row?: unknown): string {
  // The rest of the message is for programs that use a schema.
  const message = error.message
    .replace(/; if .* declare it in a schema or kinds,.*$/, '')
    .replace(/; if (\w+) is a (\w+), declare it in a schema or kinds$/, '; if it is a $2, add --kind $1=$2')
  const meant = didYouMean(error, row)
  if (meant !== '') return message + meant
  return message + (error.kind === 'not-found' ? '; with --lenient rows may lack fields' : '')
}
