// How long requests at the limits hold up everything else: the longest turn of the event loop of a server on SQLite, for
// each kind of request; the least of some rounds, so that other processes do not count.
// node --import ./scripts/ts-loader.mjs bench/pauses.ts [rounds]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mount } from '../src/http/index.ts'
import { serve } from '../src/http/node/index.ts'
import { createScheduler } from '../src/scheduler/index.ts'
import { devSecrets } from '../src/secrets/index.ts'
import { sqliteStore } from '../src/store/sqlite/index.ts'
import { printTable } from './measure.ts'

const token = 'root-of-the-bench'
/** Replaced in each round: a job that is as it was is not stored again. */
const round = 'round 0'

if (process.argv[2] === 'serve') await runServer(process.argv[3] ?? '')
else await runCaller(Number(process.argv[2] ?? 5))

async function runServer(file: string): Promise<void> {
  const scheduler = createScheduler({ store: await sqliteStore(file, { realm: 'scheduler' }), place: true })
  const store = await sqliteStore(file, { realm: 'secrets' })
  const { service } = await devSecrets({ store, rootToken: token })
  const { port } = await serve({ fetch: mount({ '/secrets': service.fetch, '/': scheduler.fetch }) })
  let [longest, last] = [0, performance.now()]
  const turn = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    setImmediate(turn)
  }
  turn()
  process.on('message', () => {
    process.send?.(longest)
    longest = 0
  })
  process.on('disconnect', () => process.exit())
  process.send?.(port)
}

interface Asked {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body?: string
}

/** Requests as large as they may be. */
function requests(): readonly Asked[] {
  const mega = (count: number) => 'x'.repeat(count * 1_000_000)
  const many = (values: number, text: string) =>
    Object.fromEntries(Array.from({ length: values }, (_, at) => [`key-${at}`, text]))
  const lists = Array.from({ length: 3 }, () => many(9_900, 'x'.repeat(1_000)))
  const job = (Meta: object) => ({
    ID: 'large',
    Type: 'service',
    Datacenters: ['*'],
    Meta,
    TaskGroups: [{ Name: 'web', Count: 1, Tasks: [{ Name: 'web', Driver: 'exec', Config: {} }] }],
  })
  const task = (at: number) =>
    `  group "g${at}" {\n    task "t" {\n      driver = "exec"\n      env { A = "${'v'.repeat(80)}" }\n    }\n  }\n`
  const file = (groups: number) =>
    `job "large" {\n${Array.from({ length: groups }, (_, at) => task(at)).join('')}}\n`
  const data = (value: object) => JSON.stringify({ data: value })
  const one = { name: 'PUT', path: '/secrets/v1/secret/data/large' }
  const secret = (name: string, value: object): readonly Asked[] => [
    { name: `${name}: write`, method: 'POST', path: one.path, body: data(value) },
    { name: `${name}: read`, method: 'GET', path: one.path },
  ]
  const jobs = (name: string, Meta: object): readonly Asked[] => [
    {
      name: `${name}: plan`,
      method: 'PUT',
      path: '/v1/job/large/plan',
      body: JSON.stringify({ Job: job(Meta), Diff: true }),
    },
    {
      name: `${name}: register`,
      method: 'PUT',
      path: '/v1/jobs',
      body: JSON.stringify({ Job: job({ ...Meta, round }) }),
    },
    {
      name: `${name}: plan again, another value`,
      method: 'PUT',
      path: '/v1/job/large/plan',
      body: JSON.stringify({ Job: job({ ...Meta, more: '1' }), Diff: true }),
    },
    { name: `${name}: read`, method: 'GET', path: '/v1/job/large' },
  ]
  return [
    { name: 'nothing', method: 'GET', path: '/v1/nodes' },
    ...secret('a secret of 30 MB, one value', { large: mega(30) }),
    ...secret('a secret of 30 MB, 29,700 values', { lists }),
    ...secret('a secret of 29,700 short values', {
      lists: Array.from({ length: 3 }, () => many(9_900, '')),
    }),
    { name: '30 MB of brackets', method: 'POST', path: one.path, body: '['.repeat(30_000_000) },
    { name: '30 MB that is not JSON', method: 'POST', path: one.path, body: `{"a":"${mega(30)}` },
    {
      name: '30 MB of escapes',
      method: 'POST',
      path: one.path,
      body: `{"data":{"a":"${'\\n'.repeat(15_000_000)}"}}`,
    },
    {
      name: 'digest of 20 MB',
      method: 'POST',
      path: '/secrets/v1/sys/tools/hash',
      body: JSON.stringify({ input: Buffer.from(mega(20)).toString('base64') }),
    },
    ...jobs('a job with 20 MB in one value of Meta', { large: mega(20) }),
    ...jobs('a job with 20 MB in 20,000 values of Meta', many(20_000, 'x'.repeat(1_000))),
    ...jobs('a job with 30,000 short values of Meta', many(29_900, 'x')),
    {
      name: 'HCL of 1 MB, one string',
      method: 'PUT',
      path: '/v1/jobs/parse',
      body: JSON.stringify({ JobHCL: `job "a" {\n  meta { a = "${'x'.repeat(990_000)}" }\n}\n` }),
    },
    {
      name: 'HCL of 1 MB, 5,600 groups',
      method: 'PUT',
      path: '/v1/jobs/parse',
      body: JSON.stringify({ JobHCL: file(5_600) }),
    },
    {
      name: 'HCL of 1 MB, 5,600 groups, with defaults',
      method: 'PUT',
      path: '/v1/jobs/parse',
      body: JSON.stringify({ JobHCL: file(5_600), Canonicalize: true }),
    },
  ]
}

async function runCaller(rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-pauses-'))
  const child = fork(new URL(import.meta.url), ['serve', join(folder, 'bench.db')])
  const asked = async <T>() => ((await once(child, 'message')) as [T])[0]
  const base = `http://127.0.0.1:${await asked<number>()}`
  const rows: string[][] = [['request', 'status', 'answered after', 'longest turn']]
  try {
    for (const { name, method, path, body } of requests()) {
      // The table comes last, minutes later on a machine that does other work.
      console.error(name)
      let [longest, whole, status] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0]
      for (let at = 0; at < rounds; at += 1) {
        child.send('turn')
        await asked()
        const began = performance.now()
        const headers = { 'X-Secrets-Token': token, 'content-type': 'application/json' }
        const sent = body?.replace(round, `round ${at}`)
        const response = await fetch(`${base}${path}`, { method, headers, ...(sent && { body: sent }) })
        await response.arrayBuffer()
        status = response.status
        whole = Math.min(whole, performance.now() - began)
        child.send('turn')
        longest = Math.min(longest, await asked<number>())
      }
      rows.push([name, String(status), `${whole.toFixed(0)} ms`, `${longest.toFixed(0)} ms`])
    }
    printTable(rows)
  } finally {
    child.disconnect()
    rmSync(folder, { recursive: true, force: true })
  }
}
