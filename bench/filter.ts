// How fast filters run, against predicates written by hand, in one process with 14 filters alive.
//   node --import ./scripts/ts-loader.mjs bench/filter.ts
import { compile } from '../src/filter/index.ts'
import { alsoAlive, byHand, type ExpressionName, expressions, type Job, jobs } from './filter-data.ts'
import { type Candidate, measure, median, printTable, time } from './measure.ts'

const rows = jobs(10_000)
const names = Object.keys(expressions) as ExpressionName[]

const count = (test: (job: Job) => boolean) => () => {
  let passed = 0
  for (let at = 0; at < rows.length; at += 1) {
    const job = rows[at]
    if (job !== undefined && test(job)) passed += 1
  }
  return passed
}

const runs = new Map<string, () => number>()
for (const name of names) {
  const closures = compile<Job>(expressions[name], { evaluator: 'closures' })
  const generated = compile<Job>(expressions[name], { evaluator: 'codegen' })
  const auto = compile<Job>(expressions[name])
  runs.set(`hand ${name}`, count(byHand[name]))
  runs.set(`closures ${name}`, count(closures.test))
  runs.set(`codegen ${name}`, count(generated.test))
  runs.set(
    `auto ${name}`,
    count((job) => auto.test(job)),
  )
  runs.set(`fused ${name}`, () => generated.select(rows).length)
}
for (const source of alsoAlive) {
  const closures = compile<Job>(source, { evaluator: 'closures' })
  const generated = compile<Job>(source, { evaluator: 'codegen' })
  for (let round = 0; round < 20; round += 1) {
    count(closures.test)()
    count(generated.test)()
  }
}

for (const name of names) {
  const wanted = runs.get(`hand ${name}`)?.()
  for (const way of ['closures', 'codegen', 'auto', 'fused']) {
    const got = runs.get(`${way} ${name}`)?.()
    if (got !== wanted) throw new Error(`${way} ${name} selects ${got} rows, not ${wanted}`)
  }
}

const times = new Map(
  (
    await measure(
      [...runs].map(([name, run]) => ({ name, operations: rows.length, run })),
      { rounds: 41, warmups: 10 },
    )
  ).map(({ name, nanoseconds }) => [name, nanoseconds]),
)
const timeOf = (way: string, name: string): number => times.get(`${way} ${name}`) ?? Number.NaN
const timesByHand = (way: string, name: string): number => timeOf(way, name) / timeOf('hand', name)

console.log(`ns per row, and times hand-written (${rows.length} jobs, node ${process.version})\n`)
const ways = ['hand', 'closures', 'codegen', 'auto', 'fused'] as const
printTable([
  ['', ...names, 'median'],
  ...ways.map((way) => [
    way,
    ...names.map((name) => `${timeOf(way, name).toFixed(1)} (${timesByHand(way, name).toFixed(1)}×)`),
    `${median(names.map((name) => timesByHand(way, name))).toFixed(2)}×`,
  ]),
])

const compiling: Candidate[] = names.map((name) => ({
  name,
  operations: 200,
  run: () => repeat(200, () => compile(expressions[name])),
}))
const nested = `${'('.repeat(1000)}a == 1${')'.repeat(1000)}`
compiling.push({
  name: '1,000 parentheses',
  operations: 1,
  run: () => compile(nested, { limits: { depth: 1000 } }),
})
for (const terms of [100, 1000]) {
  const long = Array.from({ length: terms }, (_, at) => `Name == "n${at}"`).join(' or ')
  compiling.push({
    name: `${terms}-term or`,
    operations: 1,
    run: () => compile(long, { limits: { length: 1e6 } }),
  })
}
const compiled = await measure(compiling, { rounds: 41, warmups: 10 })
console.log('')
printTable([['to compile, warm', ''], ...compiled.map(({ name, nanoseconds }) => [name, time(nanoseconds)])])

function repeat(times: number, work: () => unknown): number {
  for (let at = 0; at < times; at += 1) work()
  return times
}
