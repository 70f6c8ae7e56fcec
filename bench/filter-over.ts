// What `filter.over` saves on repeated questions, what its columns take, and what completing a word takes.
//   npm run bench -- bench/filter-over.ts [rows]
import * as z from 'zod'
import { columns, compile, complete, describeFields } from '../src/filter/index.ts'
import { type BenchRow, benchRows } from './filter-cases.ts'
import { measure, printTable, time } from './measure.ts'

const rows = benchRows(Number(process.argv[2] ?? 100_000))

/** Bytes that are held beside the rows once seven fields are columns; measured first, while little else is held. */
const bytes = (): number => {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
const before = bytes()
const table = columns(rows)
const asked = [
  'Status == "dead"',
  'Priority > 10',
  'Version == 2',
  'Stable',
  'Meta.team == "ml"',
  'Resources.CPU > 600',
  'Resources.MemoryMB == 512',
]
for (const text of asked) compile<BenchRow>(text).over(table).count()
const held = (bytes() - before) / rows.length / asked.length

let turn = 0
/** A predicate that is never asked twice. */
const fresh = (): string => {
  turn += 1
  return `Meta.team != "team-${turn}" and Priority > ${turn % 100}.${turn}`
}
/** What a program has: many filters, warm, and used in turn. */
const alive = Array.from({ length: 32 }, () => compile<BenchRow>(fresh(), { evaluator: 'codegen' }))
const few = rows.slice(0, 2000)
for (let round = 0; round < 100; round += 1) for (const filter of alive) filter.select(few)
const inTurn = () => {
  turn += 1
  return alive[turn % alive.length]?.select(rows).length
}
const live = compile<BenchRow>('Status == "running" and Priority > 50').over(rows)
live.count()
const timesOf = (count: number, run: () => unknown) => ({
  operations: count,
  run: () => {
    for (let at = 0; at < count; at += 1) run()
    return live
  },
})
const eight = (run: () => unknown) => {
  for (let at = 0; at < 8; at += 1) run()
  return live
}
const edited = () => {
  turn += 1
  const row = rows[turn % rows.length] as BenchRow
  live.update(row, row)
  return live.count()
}
const [select, repeated, afterEdit, newOver, cold] = await measure([
  { name: 'select().length, 32 warm filters in turn', operations: 8, run: () => eight(inTurn) },
  { name: 'over, the same count again', ...timesOf(1000, () => live.count()) },
  { name: 'over, a count after an edit', ...timesOf(1000, edited) },
  {
    name: 'over, a new predicate on built columns, compiled',
    operations: 8,
    run: () => eight(() => compile<BenchRow>(fresh()).over(table).count()),
  },
  {
    name: 'select().length of a new predicate, compiled: cold',
    operations: 8,
    run: () => eight(() => compile<BenchRow>(fresh(), { evaluator: 'codegen' }).select(rows).length),
  },
])

const fields = describeFields(
  z.object(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`Field${at}`, z.string()]))),
)
const unfinished = ['', 'Fi', 'Field12 == "x" and Field', 'Field3 ', 'not (Field3 == "a" or Fie']
const completed = await measure(
  unfinished.map((typed) => ({
    name: JSON.stringify(typed),
    ...timesOf(50, () => complete(typed, typed.length, { fields })),
  })),
  { rounds: 15, warmups: 10 },
)

const against = (base: typeof select, other: typeof select) => {
  const times = (base?.nanoseconds ?? Number.NaN) / (other?.nanoseconds ?? Number.NaN)
  return `${times.toFixed(times < 10 ? 1 : 0)}×`
}
printTable([
  [`${rows.length} rows`, 'takes', 'faster than warm select', 'than cold select', 'aim'],
  ...[select, repeated, afterEdit, newOver, cold].map((each) => [
    each?.name ?? '',
    time(each?.nanoseconds ?? 0),
    against(select, each),
    against(cold, each),
    each === repeated ? '50×' : each === newOver ? '2× warm' : '',
  ]),
])
console.log(
  `\n${held.toFixed(1)} bytes a row and column (aim 24)${globalThis.gc ? '' : '; more exact with node --expose-gc'}\n`,
)
printTable([
  ['complete with 300 fields', 'takes (aim 1 ms)'],
  ...completed.map(({ name, nanoseconds }) => [name, time(nanoseconds)]),
])
