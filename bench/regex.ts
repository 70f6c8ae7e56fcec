/**
 * The regular-expression engine, the host's RegExp, which backtracks, and re2js, which does not.
 * `node --import ./scripts/ts-loader.mjs bench/regex.ts`
 */
import { RE2JS } from 're2js'
import { compileRegex } from '../src/filter/regex/index.ts'
import { measure, printTable, time } from './measure.ts'

const KINDS = ['api', 'web', 'db']
const names = Array.from({ length: 10_000 }, (_, i) => `svc-${i % 97}${i % 7}-${KINDS[i % 3]}`)
const long = names.slice(0, 500).map((name) => `${'x'.repeat(180 - name.length)}${name}`)
const megabyte = 'svc-12-db and ordinary words, '.repeat(35_000)

const rows: readonly (readonly [title: string, pattern: string, texts: readonly string[]])[] = [
  ['12 characters', '^svc-[0-9]+-(api|web)$', names],
  ['12 characters', 'api', names],
  ['12 characters', '^svc-1', names],
  ['12 characters', '^(svc|job)-[0-9]', names],
  ['12 characters', '(?i)API$', names],
  ['12 characters', '\\bweb\\b', names],
  ['12 characters', '-[0-9]+-d', names],
  ['180 characters', '(api|web|db)$', long],
  ['180 characters', '[0-9]-(api|web|db)$', long],
  ['1 MB', 'svc-[0-9]+-(api|web)', [megabyte]],
  ['1 MB', 'words, z|[0-9]{3}', [megabyte]],
  ['1 MB', '\\p{L}\\.$', [megabyte]],
]

// Every pattern is alive and used in turn with the others.
const engines = ['plinth', 'RegExp', 're2js'] as const
const runs = rows.flatMap(([, pattern, texts]) => {
  const own = compileRegex(pattern)
  const host = hostRegExp(pattern)
  const peer = RE2JS.compile(pattern)
  const count = (test: (text: string) => boolean) => () => {
    let found = 0
    for (const text of texts) if (test(text)) found += 1
    return found
  }
  const counts = [
    count((text) => own.test(text)),
    count((text) => host.test(text)),
    count((text) => peer.test(text)),
  ]
  if (new Set(counts.map((run) => run())).size > 1) throw new Error(`the engines disagree about ${pattern}`)
  return counts.map((run, at) => ({ name: engines[at] ?? '', operations: texts.length, run }))
})
const warm = await measure(runs)
const table = [['text', 'pattern', ...engines, 'plinth / RegExp', 're2js / plinth']]
for (const [at, [title, pattern]] of rows.entries()) {
  const [plinth = 0, regExp = 0, re2js = 0] = warm
    .slice(at * engines.length, (at + 1) * engines.length)
    .map(({ nanoseconds }) => nanoseconds)
  table.push([
    title,
    pattern,
    time(plinth),
    time(regExp),
    time(re2js),
    (plinth / regExp).toFixed(2),
    (re2js / plinth).toFixed(1),
  ])
}
printTable(table)

/** The same pattern for the host, whose flags are separate. */
function hostRegExp(pattern: string): RegExp {
  const fold = pattern.startsWith('(?i)')
  return new RegExp(pattern.slice(fold ? 4 : 0), `${fold ? 'i' : ''}${pattern.includes('\\p') ? 'u' : ''}`)
}

const patterns = ['api', '^svc-[0-9]+-(api|web)$', '(?i)[a-z]+\\.(com|org)$', '^\\w+@\\w+\\.[a-z]{2,6}$']
console.log()
const compiling = [['compile', 'plinth', 'plinth and one test', 'RegExp and one test', 're2js and one test']]
for (const pattern of patterns) {
  const times = 1000
  const repeated = (each: () => unknown) => () => {
    let last: unknown
    for (let i = 0; i < times; i += 1) last = each()
    return last
  }
  const text = 'svc-12-api'
  const measured = await measure([
    { name: 'compile', operations: times, run: repeated(() => compileRegex(pattern)) },
    { name: 'plinth', operations: times, run: repeated(() => compileRegex(pattern).test(text)) },
    { name: 'RegExp', operations: times, run: repeated(() => hostRegExp(pattern).test(text)) },
    { name: 're2js', operations: times, run: repeated(() => RE2JS.compile(pattern).test(text)) },
  ])
  compiling.push([pattern, ...measured.map(({ nanoseconds }) => time(nanoseconds))])
}
printTable(compiling)
