import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type CompileOptions, columns, compile, type Filter } from '../../filter/index.ts'
import { parsedJson } from '../../kernel/decoded.ts'
import { whyNot } from '../file-text.ts'
import { writeOutput } from '../output.ts'
import { UserError } from '../user-error.ts'

/** The arguments of `plinth filter --bench`. */
export interface BenchRequest {
  readonly expression: string
  readonly file: string | undefined
  /** A module whose default export is a predicate written by hand. */
  readonly against: string | undefined
  readonly json: boolean
  /** Compiles the expression, or throws its error. */
  readonly compiled: (evaluator: CompileOptions<unknown>['evaluator']) => Filter<unknown>
}

/** Nanoseconds per row, except for `compile`. */
interface Report {
  readonly rows: number
  readonly passed: number
  readonly nanosecondsPerRow: Readonly<Record<string, number>>
  readonly compileNanoseconds: number
  /** The same times relative to that of the handwritten predicate. */
  readonly timesHandWritten?: Readonly<Record<string, number>>
}

/** Measures an expression on the rows of a file with each way to run it. */
export async function benchFilter(request: BenchRequest): Promise<number> {
  const { expression, compiled, json } = request
  const rows = rowsOf(request.file)
  const closures = compiled('closures')
  const ways = new Map<string, () => number>()
  const counting = (test: (row: unknown) => boolean) => () => {
    let passed = 0
    for (const row of rows) if (test(row)) passed += 1
    return passed
  }
  const passed = counting(closures.test)()
  const byHand = request.against === undefined ? undefined : await predicateOf(request.against)
  if (byHand !== undefined)
    ways.set(
      'hand-written',
      counting((row) => Boolean(byHand(row))),
    )
  ways.set('closures', counting(closures.test))
  const generated = compiled('codegen')
  ways.set('generated code', counting(generated.test))
  ways.set('select', () => generated.select(rows).length)
  const table = columns(rows)
  ways.set('over, first question', () => compiled('closures').over(table).count())
  const kept = closures.over(table)
  ways.set('over, again', () => kept.count())
  for (const [name, run] of ways) {
    if (run() !== passed) {
      const meant = name === 'hand-written' ? `${request.against} passes` : `${name} pass`
      throw new UserError(
        `${meant} ${run()} of the rows and the expression ${passed}: they are not equivalent`,
        2,
      )
    }
  }
  const times = measured(ways)
  const nanosecondsPerRow = Object.fromEntries(
    [...times].map(([name, time]) => [name, time / Math.max(1, rows.length)]),
  )
  const compileTimes = measured(new Map([['compile', () => compile(expression).source.length]]))
  const hand = nanosecondsPerRow['hand-written']
  const report: Report = {
    rows: rows.length,
    passed,
    nanosecondsPerRow,
    compileNanoseconds: compileTimes.get('compile') ?? 0,
    ...(hand !== undefined && {
      timesHandWritten: Object.fromEntries(
        Object.entries(nanosecondsPerRow).map(([name, time]) => [name, time / hand]),
      ),
    }),
  }
  await writeOutput(json ? `${JSON.stringify(report)}\n` : tableOf(report))
  return passed > 0 ? 0 : 1
}

/** Medians of rounds in which each way runs once, so that a drifting clock speed favours none. */
function measured(ways: ReadonlyMap<string, () => number>): ReadonlyMap<string, number> {
  const samples = new Map([...ways.keys()].map((name): [string, number[]] => [name, []]))
  const once = ([name, run]: [string, () => number]) => {
    const start = process.hrtime.bigint()
    let runs = 0
    // The clock is too coarse for a single fast run.
    do {
      run()
      runs += 1
    } while (process.hrtime.bigint() - start < 500_000n)
    samples.get(name)?.push(Number(process.hrtime.bigint() - start) / runs)
  }
  const begun = performance.now()
  for (let round = 0; round < warmups + rounds && performance.now() - begun < longest; round += 1) {
    if (round === warmups) for (const times of samples.values()) times.length = 0
    for (const way of ways) once(way)
  }
  return new Map([...samples].map(([name, times]) => [name, medianOf(times)]))
}

const warmups = 10
const rounds = 31
/** In milliseconds: large files get fewer rounds. */
const longest = 8_000

const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >>> 1] ?? Number.NaN

/** The rows of a JSON array, or of a JSON value on each line. */
function rowsOf(file: string | undefined): unknown[] {
  if (file === undefined || file === '-')
    throw new UserError('--bench takes rows from a file: plinth filter --bench EXPRESSION FILE', 2)
  let text: string
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw new UserError(`cannot read ${file}: ${whyNot(error)}`, 2)
  }
  const isArray = text.trimStart().startsWith('[')
  try {
    if (isArray) return JSON.parse(text)
  } catch {
    throw new UserError(`${file} is not valid JSON`, 2)
  }
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const row = parsedJson(line)
    if (row === undefined) throw new UserError(`${file}: line ${index + 1} is not valid JSON`, 2)
    return [row]
  })
}

async function predicateOf(file: string): Promise<(row: unknown) => unknown> {
  const wanted = `${file} has a predicate as its default export, such as export default (row) => row.Count > 3`
  let found: unknown
  try {
    found = await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    throw new UserError(`cannot load ${file}: ${error instanceof Error ? error.message : String(error)}`, 2)
  }
  const predicate =
    typeof found === 'object' && found !== null && 'default' in found ? found.default : undefined
  if (typeof predicate !== 'function') throw new UserError(`--against: ${wanted}`, 2)
  return (row) => predicate(row)
}

function tableOf({ rows, passed, nanosecondsPerRow, compileNanoseconds, timesHandWritten }: Report): string {
  const lines = Object.entries(nanosecondsPerRow).map(([name, time]) => {
    const times = timesHandWritten?.[name]
    return `${name.padEnd(22)}${figure(time).padStart(9)}${times === undefined ? '' : `${times.toFixed(2).padStart(9)}×`}`
  })
  return [
    `${passed} of ${rows} rows pass; compiled in ${(compileNanoseconds / 1000).toFixed(1)} µs`,
    '',
    `${''.padEnd(22)}${'ns a row'.padStart(9)}${timesHandWritten === undefined ? '' : '   by hand'}`,
    ...lines,
    '',
  ].join('\n')
}

const figure = (time: number): string => (time < 0.1 ? time.toFixed(4) : time.toFixed(1))
