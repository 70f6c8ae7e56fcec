// How long /health waits while one server runs the most expensive accepted filters: jobs as large as they may be, and
// expressions made to take long. Server and caller are processes of their own; every request goes over a socket. npm
// run bench -- bench/filter-health.ts
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createGateway } from '../src/gateway/index.ts'
import { mount } from '../src/http/index.ts'
import { serve } from '../src/http/node/index.ts'
import { createScheduler } from '../src/scheduler/index.ts'
import { printTable } from './measure.ts'

/** The longest turn of the event loop since the last message, in milliseconds of processor time. */
interface LongestTurn {
  readonly cpuMs: number
}

if (process.argv.includes('--server')) await runServer()
else await runCaller()

async function runServer(): Promise<void> {
  const scheduler = createScheduler()
  const gateway = createGateway()
  const { port } = await serve({ fetch: mount({ '/': scheduler.fetch, '/gateway': gateway.fetch }) })
  let longest = 0
  let last = process.cpuUsage()
  const turn = () => {
    const now = process.cpuUsage()
    longest = Math.max(longest, now.user + now.system - last.user - last.system)
    last = now
    setTimeout(turn, 1)
  }
  turn()
  process.on('message', () => {
    process.send?.({ cpuMs: longest / 1000 } satisfies LongestTurn)
    longest = 0
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ port })
}

async function runCaller(): Promise<void> {
  const child = fork(new URL(import.meta.url), ['--server'])
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const base = `http://127.0.0.1:${port}`
  const longestTurn = async (): Promise<LongestTurn> => {
    child.send('turn')
    const [message] = (await once(child, 'message')) as [LongestTurn]
    return message
  }

  const groups = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      Name: `group-${at}`,
      Tasks: [{ Name: 'task', Driver: 'exec' }],
    }))
  const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key-${at}`, 'v']))
  const register = async (Job: object) => {
    const { status } = await fetch(`${base}/v1/jobs`, { method: 'PUT', body: JSON.stringify({ Job }) })
    if (status !== 200) throw new Error(`a job was refused with ${status}`)
  }
  // Small ones first, so that the server gets used to them.
  for (let at = 0; at < 600; at += 1)
    await register({ ID: `a-${1000 + at}`, TaskGroups: groups(1), Meta: { text: 'a' } })
  for (let at = 0; at < 60; at += 1)
    await register({ ID: `b-${100 + at}`, TaskGroups: groups(400), Meta: { text: 'ab'.repeat(100_000) } })
  for (let at = 0; at < 20; at += 1)
    await register({ ID: `c-${100 + at}`, TaskGroups: groups(1), Meta: { ...keys, text: 'b' } })

  const never = 'Name == "none"'
  const expressions: Readonly<Record<string, string>> = {
    'none: /health alone': '',
    'one comparison': never,
    'pairs of groups': 'any TaskGroups as g { any TaskGroups as h { g.Name == @h.Name and g.Count == -1 } }',
    'triples of groups':
      'any TaskGroups as g { any TaskGroups as h { any TaskGroups as i { i.Count == -1 } } }',
    'a pattern of 600 places': '(Meta.text is not empty) and Meta.text matches "a[ab]{600}c"',
    'a pattern of many alternatives': `Meta.text matches "(?i)(a|b|ab|ba)*(${'ab?'.repeat(100)})+c$"`,
    'a search ignoring case': `Meta.text contains "${'AB'.repeat(500)}c" ignoring case`,
    'an empty map': 'Meta is empty or not (Meta is not empty)',
    'keys of a map': 'any Meta as k, v { v == "w" and k matches "x$" }',
    '300 comparisons': Array.from({ length: 300 }, (_, at) => `Name=="n-${at}"`).join(' or '),
    '250 patterns': Array.from({ length: 250 }, (_, at) => `Name matches "^n${at}(a|b){9}$"`).join(' or '),
    '200 patterns of 1,000 copies': Array.from(
      { length: 200 },
      (_, at) => `Name matches "^n(a|b${at}){1000}$"`,
    ).join(' or '),
    'a list of 1,500 values': `Name in [${Array.from({ length: 1500 }, (_, at) => at).join(', ')}]`,
    '90 levels': `${'not ('.repeat(90)}Name == "a" or Priority > 3${')'.repeat(90)}`,
  }
  const rows = []
  for (const [name, expression] of Object.entries(expressions)) {
    await longestTurn()
    let ended = false
    const asked =
      expression === '' ? pause(1000) : list(`${base}/v1/jobs?filter=${encodeURIComponent(expression)}`)
    const began = performance.now()
    const answer = asked.then((status) => {
      ended = true
      return status
    })
    let worst = 0
    let asks = 0
    do {
      const start = performance.now()
      await (await fetch(`${base}/gateway/health`)).arrayBuffer()
      worst = Math.max(worst, performance.now() - start)
      asks += 1
      await pause(2)
    } while (!ended)
    const status = await answer
    const took = performance.now() - began
    const { cpuMs } = await longestTurn()
    rows.push([
      name,
      `${status}`,
      `${took.toFixed(0)} ms`,
      `${asks}`,
      `${worst.toFixed(0)} ms`,
      `${cpuMs.toFixed(0)} ms`,
    ])
  }
  console.log('aim: /health within 100 ms; the longest turn counts processor time, other processes do not\n')
  printTable([
    ['while jobs are filtered by', 'status', 'took', '/health asked', 'longest wait', 'longest turn'],
    ...rows,
  ])
  child.disconnect()
}

async function list(url: string): Promise<number> {
  const response = await fetch(url)
  await response.arrayBuffer()
  return response.status
}

function pause(ms: number): Promise<number> {
  return new Promise((resolve) => setTimeout(() => resolve(200), ms))
}
