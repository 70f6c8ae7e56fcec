// How fast filters run, against predicates written by hand, in one process with 14 filters alive.
//   node --import ./scripts/ts-loader.mjs bench/filter.ts
import { compile } from '../src/filter/index.ts'
import { alsoAlive, byHand, type ExpressionName, expressions, type Job, jobs } from './filter-data.ts'
import { medians, ratio, row } from './rounds.ts'

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

const times = medians(runs, { rounds: 41, warmup: 10, divide: rows.length })
console.log(`ns per row, and times hand-written (${rows.length} jobs, node ${process.version})\n`)
console.log(row('', names))
const ways = ['hand', 'closures', 'codegen', 'auto', 'fused'] as const
for (const way of ways) {
  console.log(
    row(
      way,
      names.map((name) => {
        const time = times.get(`${way} ${name}`) ?? Number.NaN
        return `${time.toFixed(1)} (${ratio(time, times.get(`hand ${name}`))})`
      }),
    ),
  )
}
for (const way of ways.slice(1)) {
  const ratios = names.map((name) => (times.get(`${way} ${name}`) ?? 0) / (times.get(`hand ${name}`) ?? 1))
  ratios.sort((a, b) => a - b)
  console.log(
    `median of E1–E6, ${way}: ${(((ratios[2] ?? 0) + (ratios[3] ?? 0)) / 2).toFixed(2)}× hand-written`,
  )
}

console.log('\nµs to compile (warm)')
const compiling = new Map<string, () => number>()
for (const name of names) compiling.set(name, () => repeat(200, () => compile(expressions[name])))
const nested = `${'('.repeat(1000)}a == 1${')'.repeat(1000)}`
compiling.set('1,000 parentheses', () => repeat(1, () => compile(nested, { limits: { depth: 1000 } })))
for (const terms of [100, 1000]) {
  const long = Array.from({ length: terms }, (_, at) => `Name == "n${at}"`).join(' or ')
  compiling.set(`${terms}-term or`, () => repeat(1, () => compile(long, { limits: { length: 1e6 } })))
}
for (const [name, time] of medians(compiling, { rounds: 41, warmup: 10, divide: 1 })) {
  const perExpression = Object.hasOwn(expressions, name) ? time / 200 : time
  console.log(`${name.padEnd(20)} ${(perExpression / 1000).toFixed(2)}`)
}

function repeat(times: number, work: () => unknown): number {
  for (let at = 0; at < times; at += 1) work()
  return times
}
