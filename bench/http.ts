/**
 * HTTP over real sockets: Plinth, a bare `node:http` server that sends the same bytes, and fastify that serialises the
 * same object, each in its own process, in turn, over 16 keep-alive connections.
 * Run: `npm run bench -- bench/http.ts [--quick] [--only=health,kv2-read,audited,in-process,same-job] [--json=FILE]`
 */
import { audited } from './http/audited.ts'
import { inProcess } from './http/in-process.ts'
import { overSockets } from './http/over-sockets.ts'
import { rows } from './http/rows.ts'
import { sameJob } from './http/same-job.ts'
import { median, printTable, time } from './measure.ts'
import { writeRatios } from './ratios.ts'

const flags = process.argv.slice(2)
const quick = flags.includes('--quick')
const argumentOf = (flag: string) => flags.find((each) => each.startsWith(`${flag}=`))?.slice(flag.length + 1)
const only = argumentOf('--only')?.split(',')
const json = argumentOf('--json')
const sections = [...Object.keys(rows), 'audited', 'in-process', 'same-job']
const unknown = only?.filter((name) => !sections.includes(name)) ?? []
if (unknown.length > 0)
  throw new Error(`unknown in --only: ${unknown.join(', ')}; give some of ${sections.join(', ')}`)
const isAsked = (name: string) => only?.includes(name) ?? true
const pace = quick ? { ms: 200, rounds: 3, warmupMs: 500 } : { ms: 400, rounds: 11, warmupMs: 4000 }
const share = (ratio: number) => ratio.toFixed(ratio < 0.1 ? 3 : 2)
const perSecond = (rate: number) => Math.round(rate).toLocaleString('en')

const heading = 'requests/s|bare|fastify|Plinth|to bare|by CPU|aim|to fastify|by CPU|aim|client'
const table = [heading.split('|')]
const titles: string[] = []
const toBare: Record<'bare node:http' | 'fastify' | 'Plinth', number[]> = {
  'bare node:http': [],
  fastify: [],
  Plinth: [],
}
for (const [name, row] of Object.entries(rows)) {
  if (!isAsked(name)) continue
  const found = await overSockets(name, row, pace)
  const { besideBare, besideFastify } = found
  titles.push(row.title)
  toBare['bare node:http'].push(1)
  toBare.fastify.push(besideBare.perCpuSecond / besideFastify.perCpuSecond)
  toBare.Plinth.push(besideBare.perCpuSecond)
  table.push([
    row.title,
    perSecond(found.perSecond.bare),
    perSecond(found.perSecond.fastify),
    perSecond(found.perSecond.plinth),
    share(besideBare.perSecond),
    share(besideBare.perCpuSecond),
    row.aim === undefined ? '–' : String(row.aim),
    share(besideFastify.perSecond),
    share(besideFastify.perCpuSecond),
    row.besideFastify ? '1' : '–',
    `${Math.round(found.client * 100)} %`,
  ])
}
if (table.length > 1) printTable(table)
if (json !== undefined)
  writeRatios(
    json,
    'bench/http.ts',
    titles,
    Object.entries(toBare).map(([name, ratios]) => ({ name, ratios, median: median(ratios) })),
  )

if (isAsked('audited') && rows['kv2-read']) {
  const { cpu, perSecond: rate, ratio } = await audited(rows['kv2-read'], pace)
  const each = (microseconds: number) => time(microseconds * 1e3)
  console.log()
  printTable([
    ['secrets: kv2 read', 'without audit', 'with an audit file', 'ratio (aim 1.25)'],
    ['processor time of the server', each(cpu.without), each(cpu.audited), share(ratio)],
    ['requests/s', perSecond(rate.without), perSecond(rate.audited), ''],
  ])
}

if (isAsked('same-job') && rows['jobs']) {
  const { first, last } = await sameJob(rows['jobs'])
  console.log()
  printTable([
    ['the same job again', 'requests/s', 'per second of CPU'],
    ['the first 2,000 times', perSecond(first.perSecond), perSecond(first.perCpuSecond)],
    ['2,000 times after 20,000', perSecond(last.perSecond), perSecond(last.perCpuSecond)],
    [
      'ratio (flat: 1)',
      share(last.perSecond / first.perSecond),
      share(last.perCpuSecond / first.perCpuSecond),
    ],
  ])
}

if (isAsked('in-process')) {
  const inside = [['in process, without a socket', 'fetch', 'Request and Response', 'ratio (aim 2)']]
  for (const row of Object.values(rows)) {
    if (row.ask(0).body !== undefined) continue
    const { whole, alone } = await inProcess(row)
    inside.push([row.title, time(whole), time(alone), share(whole / alone)])
  }
  console.log()
  printTable(inside)
}
// The timers of the services keep the process alive.
process.exit()
