// plinth/filter beside its peers, in one table: interleaved rounds in one process, every filter alive throughout.
//   cd bench/peers && npm ci && cd ../.. && npm run bench -- bench/peers/filter.ts [--json FILE]
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import cel from '@marcbachmann/cel-js'
import { compileExpression } from 'filtrex'
import { Jexl } from 'jexl'
import { LogicEngine } from 'json-logic-engine'
import jsonata from 'jsonata'
import { Query } from 'mingo'
import sift from 'sift'
import { compile } from '../../src/filter/index.ts'
import { type BenchRow, benchRows, cases } from '../filter-cases.ts'
import { alsoAlive, byHand, type ExpressionName, expressions, type Job, jobs } from '../filter-data.ts'
import { type Candidate, measure, median, printTable } from '../measure.ts'
import { writeRatios } from '../ratios.ts'

const { values: flags } = parseArgs({ options: { json: { type: 'string' } } })
const rows = jobs(2000)
const fewer = rows.slice(0, 200) // for what takes microseconds per row
const names = Object.keys(expressions) as ExpressionName[]

type Test = (job: Job) => unknown
type Contender = Partial<Record<ExpressionName, Test>>

const each = (make: (name: ExpressionName) => Test): Contender =>
  Object.fromEntries(names.map((name) => [name, make(name)]))

const withExpressions = (
  texts: Partial<Record<ExpressionName, string>>,
  make: (text: string) => Test,
): Contender => Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, make(text)]))

const mongo = {
  E1: { Status: 'running' },
  E2: { Version: 3, Stable: true },
  E3: { $or: [{ Tags: 'web' }, { Datacenters: 'dc2' }] },
  E5: { Name: { $regex: '^svc-[0-9]+-(api|web)$' } },
  E6: {
    Status: { $in: ['running', 'pending'] },
    'Meta.owner': { $exists: true, $ne: '' },
    $or: [{ Tags: 'gpu' }, { 'Resources.CPU': 4000 }],
    Name: { $regex: 'api' },
    Datacenters: { $ne: 'dc8' },
  },
} as const

const celTexts = {
  E1: 'job.Status == "running"',
  E2: 'job.Version == 3 && job.Stable == true',
  E3: '"web" in job.Tags || "dc2" in job.Datacenters',
  E4: 'job.Meta["team"] == "infra" && job.Meta["region.zone"] != "eu-1"',
  E5: 'job.Name.matches("^svc-[0-9]+-(api|web)$")',
  E6: '(job.Status == "running" || job.Status == "pending") && "owner" in job.Meta && job.Meta.owner != "" && ("gpu" in job.Tags || job.Resources.CPU == 4000) && job.Name.matches("api") && !("dc8" in job.Datacenters)',
}
const celEnvironment = new cel.Environment({ unlistedVariablesAreDyn: true })

const filtrexTexts = {
  E1: 'Status == "running"',
  E2: 'Version == 3 and Stable',
  E3: 'has(Tags, "web") or has(Datacenters, "dc2")',
  E4: '(team of Meta) == "infra" and (\'region.zone\' of Meta) != "eu-1"',
  E5: 'Name ~= "^svc-[0-9]+-(api|web)$"',
  E6: '(Status == "running" or Status == "pending") and filled(Meta) and (has(Tags, "gpu") or (CPU of Resources) == 4000) and Name ~= "api" and not has(Datacenters, "dc8")',
}
const filtrexFunctions = {
  has: (list: readonly string[], value: string) => list.includes(value),
  filled: (meta: Job['Meta']) => meta['owner'] !== undefined && meta['owner'] !== '',
}

const jexlTexts = {
  E1: 'Status == "running"',
  E2: 'Version == 3 && Stable == true',
  E3: '"web" in Tags || "dc2" in Datacenters',
  E4: 'Meta.team == "infra" && Meta["region.zone"] != "eu-1"',
  E5: 'Name|matches("^svc-[0-9]+-(api|web)$")',
  E6: '(Status == "running" || Status == "pending") && Meta.owner && ("gpu" in Tags || Resources.CPU == 4000) && Name|matches("api") && !("dc8" in Datacenters)',
}
const jexl = new Jexl()
const patterns = new Map<string, RegExp>()
const pattern = (text: string): RegExp => {
  const known = patterns.get(text) ?? new RegExp(text)
  patterns.set(text, known)
  return known
}
jexl.addTransform('matches', (text: string, source: string) => pattern(source).test(text))

const logicEngine = new LogicEngine()
logicEngine.addMethod('matches', ([text, source]: [string, string]) => pattern(source).test(text), {
  deterministic: true,
})
const logic = {
  E1: { '==': [{ var: 'Status' }, 'running'] },
  E2: { and: [{ '==': [{ var: 'Version' }, 3] }, { '==': [{ var: 'Stable' }, true] }] },
  E3: { or: [{ in: ['web', { var: 'Tags' }] }, { in: ['dc2', { var: 'Datacenters' }] }] },
  E4: { and: [{ '==': [{ var: 'Meta.team' }, 'infra'] }, { '!=': [{ var: 'Meta.region\\.zone' }, 'eu-1'] }] },
  E5: { matches: [{ var: 'Name' }, '^svc-[0-9]+-(api|web)$'] },
  E6: {
    and: [
      { or: [{ '==': [{ var: 'Status' }, 'running'] }, { '==': [{ var: 'Status' }, 'pending'] }] },
      { '!!': [{ var: 'Meta.owner' }] },
      { or: [{ in: ['gpu', { var: 'Tags' }] }, { '==': [{ var: 'Resources.CPU' }, 4000] }] },
      { matches: [{ var: 'Name' }, 'api'] },
      { '!': [{ in: ['dc8', { var: 'Datacenters' }] }] },
    ],
  },
}

const jsonataTexts = {
  E1: 'Status = "running"',
  E2: 'Version = 3 and Stable = true',
  E3: '"web" in Tags or "dc2" in Datacenters',
  E4: 'Meta.team = "infra" and Meta.`region.zone` != "eu-1"',
  E5: '$contains(Name, /^svc-[0-9]+-(api|web)$/)',
  E6: '(Status = "running" or Status = "pending") and $length($string(Meta.owner)) > 0 and ("gpu" in Tags or Resources.CPU = 4000) and $contains(Name, /api/) and $not("dc8" in Datacenters)',
}

const contenders = {
  'hand-written': each((name) => byHand[name]),
  'plinth, generated': each((name) => compile<Job>(expressions[name], { evaluator: 'codegen' }).test),
  'plinth, closures': each((name) => compile<Job>(expressions[name], { evaluator: 'closures' }).test),
  'json-logic-engine': each((name) => logicEngine.build(logic[name]) as Test),
  filtrex: withExpressions(
    filtrexTexts,
    (text) => compileExpression(text, { extraFunctions: filtrexFunctions }) as Test,
  ),
  '@marcbachmann/cel-js': withExpressions(celTexts, (text) => {
    const program = celEnvironment.parse(text)
    return (job) => program({ job })
  }),
  sift: Object.fromEntries(
    Object.entries(mongo).map(([name, query]) => [name, sift(query as never) as Test]),
  ),
  mingo: Object.fromEntries(
    Object.entries(mongo).map(([name, query]) => {
      const compiled = new Query(query as never)
      return [name, (job: Job) => compiled.test(job as never)]
    }),
  ),
  jexl: withExpressions(jexlTexts, (text) => {
    const compiled = jexl.compile(text)
    return (job) => compiled.evalSync(job as never)
  }),
} as const satisfies Readonly<Record<string, Contender>>

const slow = new Set<string>(['jexl', 'mingo', 'sift'])
const others = benchRows(200)
const keepAlive = [...alsoAlive, ...Object.values(cases).map(([text]) => text)].map((text) =>
  compile<BenchRow>(text, { evaluator: 'codegen' }),
)

const count = (test: Test, among: readonly Job[]) => () => {
  let passed = 0
  for (let at = 0; at < among.length; at += 1) {
    const job = among[at]
    if (job !== undefined && test(job) === true) passed += 1
  }
  return passed
}

// What else a process filters, in turn with what is measured.
const candidates: Candidate[] = [
  {
    name: 'also alive',
    operations: keepAlive.length,
    run: () => keepAlive.map((filter) => filter.select(others).length),
  },
]
for (const [who, tests] of Object.entries<Contender>(contenders)) {
  const among = slow.has(who) ? fewer : rows
  for (const name of names) {
    const test = tests[name]
    if (test === undefined) continue
    const truthy: Test =
      who === 'jexl' || who === 'json-logic-engine' || who === 'filtrex' ? (job) => Boolean(test(job)) : test
    const found = count(truthy, among)()
    const wanted = count(byHand[name], among)()
    if (found !== wanted) throw new Error(`${who} ${name} selects ${found} rows, not ${wanted}`)
    candidates.push({ name: `${who} ${name}`, operations: among.length, run: count(truthy, among) })
  }
}
for (const name of names) {
  const filter = compile<Job>(expressions[name], { evaluator: 'codegen' })
  candidates.push({
    name: `plinth, select ${name}`,
    operations: rows.length,
    run: () => filter.select(rows).length,
  })
  const program = jsonata(jsonataTexts[name])
  const few = rows.slice(0, 50)
  const run = async () => {
    let passed = 0
    for (const job of few) if ((await program.evaluate(job)) === true) passed += 1
    return passed
  }
  const wanted = count(byHand[name], few)()
  if ((await run()) !== wanted) throw new Error(`jsonata ${name} selects others`)
  candidates.push({ name: `jsonata ${name}`, operations: few.length, run })
}

const times = new Map(
  (await measure(candidates, { rounds: 41, warmups: 20 })).map(({ name, nanoseconds }) => [
    name,
    nanoseconds,
  ]),
)

for (const [name, time] of Object.entries(goTimes())) times.set(`go-bexpr (structs) ${name}`, time)

const order = [
  'hand-written',
  'plinth, select',
  'plinth, generated',
  'plinth, closures',
  ...Object.keys(contenders).slice(3),
  'jsonata',
  'go-bexpr (structs)',
]
const series = order.flatMap((name) => {
  const ratios = names.map((each) => {
    const [time, hand] = [times.get(`${name} ${each}`), times.get(`hand-written ${each}`)]
    return time === undefined || hand === undefined ? null : time / hand
  })
  const known = ratios.filter((ratio) => ratio !== null)
  return known.length === 0 ? [] : [{ name, ratios, median: median(known) }]
})
console.log(`ns per row (times hand-written); ${rows.length} jobs, node ${process.version}\n`)
printTable([
  ['', ...names, 'median'],
  ...series.map(({ name, ratios, median: middle }) => [
    name,
    ...ratios.map((ratio, at) =>
      ratio === null ? '-' : `${times.get(`${name} ${names[at]}`)?.toFixed(1)} (${ratio.toFixed(1)}×)`,
    ),
    `${middle.toFixed(1)}×`,
  ]),
])
if (flags.json !== undefined) writeRatios(flags.json, 'bench/peers/filter.ts', names, series)

/** The original in Go, where Debian's golang-go and golang-github-hashicorp-go-bexpr-dev are installed. */
function goTimes(): Record<string, number> {
  const missing = !existsSync('/usr/share/gocode/src/github.com/hashicorp/go-bexpr')
  if (missing) {
    console.log(
      'go-bexpr is not installed (apt-get install golang-go golang-github-hashicorp-go-bexpr-dev)\n',
    )
    return {}
  }
  const run = spawnSync('go', ['run', 'bench/peers/go/main.go'], {
    env: { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' },
    input: JSON.stringify({
      Rows: rows,
      // The version that Debian has knows `is empty` for lists and maps only.
      Expressions: {
        ...expressions,
        E6: expressions.E6.replace('not (Meta.owner is empty)', '("owner" in Meta and Meta.owner != "")'),
      },
    }),
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  if (run.status !== 0) {
    console.log(`go-bexpr did not run: ${run.stderr}\n`)
    return {}
  }
  const results: Record<string, { readonly Nanoseconds: number; readonly Passed: number }> = JSON.parse(
    run.stdout,
  )
  for (const name of names) {
    const wanted = count(byHand[name], rows)()
    if (results[name]?.Passed !== wanted)
      throw new Error(`go-bexpr ${name} selects ${results[name]?.Passed} rows, not ${wanted}`)
  }
  return Object.fromEntries(Object.entries(results).map(([name, { Nanoseconds }]) => [name, Nanoseconds]))
}
