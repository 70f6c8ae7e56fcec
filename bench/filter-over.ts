// What `filter.over` saves on repeated questions, what its columns take, and what completing a word takes.
//   npm run bench -- bench/filter-over.ts
import * as z from 'zod'
import { columns, compile, complete, describeFields } from '../src/filter/index.ts'
import { type BenchRow, benchRows } from './filter-cases.ts'
import { measure, printTable, time } from './measure.ts'

const rows = benchRows(100_000)

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

const text = 'Status == "running" and Priority > 50'
const filter = compile<BenchRow>(text, { evaluator: 'codegen' })
const live = filter.over(rows)
live.count()
let turn = 0
const fresh = (): string => {
  turn += 1
  return `Meta.team == "infra" and Priority > ${turn % 100}.5`
}
const timesOf = (count: number, run: () => unknown) => ({
  operations: count,
  run: () => {
    for (let at = 0; at < count; at += 1) run()
    return live
  },
})
const edited = () => {
  turn += 1
  const row = rows[turn % rows.length] as BenchRow
  live.update(row, row)
  return live.count()
}
const [select, repeated, afterEdit, newSelect, newOver] = await measure([
  { name: 'select().length', operations: 1, run: () => filter.select(rows).length },
  { name: 'over, the same count again', ...timesOf(1000, () => live.count()) },
  { name: 'over, a count after an edit', ...timesOf(1000, edited) },
  {
    name: 'a new predicate, compiled and selected',
    operations: 1,
    run: () => compile<BenchRow>(fresh(), { evaluator: 'codegen' }).select(rows).length,
  },
  {
    name: 'a new predicate, on built columns',
    operations: 1,
    run: () => compile<BenchRow>(fresh()).over(table).count(),
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

const against = (base: typeof select, other: typeof select) =>
  `${((base?.nanoseconds ?? Number.NaN) / (other?.nanoseconds ?? Number.NaN)).toFixed(0)}×`
printTable([
  [`${rows.length} rows`, 'takes', 'faster than select', 'aim'],
  [select?.name ?? '', time(select?.nanoseconds ?? 0), '', ''],
  [repeated?.name ?? '', time(repeated?.nanoseconds ?? 0), against(select, repeated), '50×'],
  [afterEdit?.name ?? '', time(afterEdit?.nanoseconds ?? 0), against(select, afterEdit), ''],
  [newSelect?.name ?? '', time(newSelect?.nanoseconds ?? 0), '', ''],
  [newOver?.name ?? '', time(newOver?.nanoseconds ?? 0), against(newSelect, newOver), '2×'],
])
console.log(
  `\n${held.toFixed(1)} bytes a row and column (aim 24)${globalThis.gc ? '' : '; more exact with node --expose-gc'}\n`,
)
printTable([
  ['complete with 300 fields', 'takes (aim 1 ms)'],
  ...completed.map(({ name, nanoseconds }) => [name, time(nanoseconds)]),
])
