// How fast filters run, against predicates written by hand, on rows of four shapes.
//   npm run bench -- bench/filter.ts [--json FILE]
// Every filter is alive in one process and used in turn, as in any real one; all but the rows named cold are warm.
import { parseArgs } from 'node:util'
import { compile } from '../src/filter/index.ts'
import { type BenchRow, benchRows, cases } from './filter-cases.ts'
import { alsoAlive } from './filter-data.ts'
import { shapes } from './filter-shapes.ts'
import { type Candidate, measure, median, printTable, time } from './measure.ts'
import { writeRatios } from './ratios.ts'

const { values: flags } = parseArgs({ options: { json: { type: 'string' } } })
const base = benchRows(2000)
const ways = ['hand', 'generated', 'closures', 'select'] as const
type Way = (typeof ways)[number]

/** A loop of its own for each predicate, so that none pays for the others' calls. */
const counting = (test: (row: BenchRow) => boolean): ((rows: readonly BenchRow[]) => number) =>
  new Function(
    'test',
    'return (rows) => { let n = 0; for (let i = 0; i < rows.length; i += 1) if (test(rows[i])) n += 1; return n }',
  )(test)

const candidates: Candidate[] = []
/** Nanoseconds of a row in the first run of each loop, before anything is warm. */
const firstRuns = new Map<string, number>()
for (const [shape, make] of Object.entries(shapes)) {
  const rows = base.map(make)
  for (const [name, [text, hand]] of Object.entries(cases)) {
    const generated = compile<BenchRow>(text, { evaluator: 'codegen' })
    const loops: Readonly<Record<Way, (rows: readonly BenchRow[]) => number>> = {
      hand: counting(hand),
      generated: counting(generated.test),
      closures: counting(compile<BenchRow>(text, { evaluator: 'closures' }).test),
      select: (all) => generated.select(all).length,
    }
    const wanted = loops.hand(rows)
    for (const way of ways) {
      const before = process.cpuUsage()
      const got = loops[way](rows)
      const { user, system } = process.cpuUsage(before)
      firstRuns.set(key(shape, name, way), ((user + system) * 1000) / rows.length)
      if (got !== wanted) throw new Error(`${way} ${name} selects ${got} rows of ${shape}, not ${wanted}`)
      candidates.push({ name: key(shape, name, way), operations: rows.length, run: () => loops[way](rows) })
    }
  }
}
for (const source of alsoAlive) compile<BenchRow>(source, { evaluator: 'codegen' }).select(base)

const times = new Map(
  (await measure(candidates, { rounds: 25, warmups: 10 })).map(({ name, nanoseconds }) => [
    name,
    nanoseconds,
  ]),
)
/** Times of `measured` over the warm times of the predicates written by hand. */
const timesByHand = (measured: ReadonlyMap<string, number>, shape: string, name: string, way: Way): number =>
  (measured.get(key(shape, name, way)) ?? Number.NaN) / (times.get(key(shape, name, 'hand')) ?? Number.NaN)

const names = Object.keys(cases)
const series = Object.keys(shapes).flatMap((shape) =>
  ways.slice(1).map((way) => {
    const ratios = names.map((name) => timesByHand(times, shape, name, way))
    return { name: `${shape}, ${way}`, ratios, median: median(ratios) }
  }),
)

const cold = ways.map((way) => {
  const ratios = names.map((name) => timesByHand(firstRuns, 'plain', name, way))
  return { name: `plain, ${way}, cold: the first run`, ratios, median: median(ratios) }
})

const compiling = await measure(
  names.map((name) => ({
    name,
    operations: 100,
    run: () => {
      for (let at = 0; at < 100; at += 1) compile(cases[name]?.[0] ?? '')
      return names
    },
  })),
  { rounds: 15, warmups: 30 },
)

console.log(`times hand-written (${base.length} rows, node ${process.version})\n`)
printTable([
  ['', ...names, 'median'],
  ...[...series, ...cold].map(({ name, ratios, median: middle }) => [
    name,
    ...ratios.map((ratio) => ratio.toFixed(1)),
    middle.toFixed(2),
  ]),
  ['to compile', ...compiling.map(({ nanoseconds }) => time(nanoseconds)), ''],
])
if (flags.json !== undefined) writeRatios(flags.json, 'bench/filter.ts', names, series)

function key(shape: string, name: string, way: Way): string {
  return `${shape} ${name} ${way}`
}
