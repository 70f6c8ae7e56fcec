import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { launch } from '../browser/browser.ts'
import { bun, chromium, commandOf, deno, edgeRuntime, firefox, needing, nodes, workerd } from '../programs.ts'
import { bundleIn, installInto, runIn } from './installed.ts'

/** One program, `smoke/smoke.mjs`, which creates all services at module scope and asks each of them. */
const place = mkdtempSync(join(tmpdir(), 'plinth-runtimes-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))
beforeAll(() => {
  installInto(place)
  cpSync('test/package/smoke', place, { recursive: true })
})

const answers = {
  filter: 1,
  secrets: [{ password: 'hunter2' }, ['app']],
  scheduler: ['web'],
  catalog: 'acme/tiny',
  registry: ['acme/vpc/aws/1.0.0'],
  gateway: 200,
}

/** What it answers where `node:crypto` is missing. */
const lacking = (instead: string) =>
  `this runtime has no node:crypto: set the flag nodejs_compat on Cloudflare Workers; elsewhere ${instead}`
const answersOfWebApis = {
  ...answers,
  ...Object.fromEntries(
    ['secrets', 'catalog', 'registry'].map((name) => [name, lacking('pass the option crypto')]),
  ),
}

const bundled = (entry: string, format: 'esm' | 'iife') => bundleIn(place, entry, format)
const run = (command: string, ...args: readonly string[]) => runIn(place, command, ...args)

describe('the packed package runs on', () => {
  for (const node of nodes)
    it(...needing(node.name, node), async () => {
      expect(await run(commandOf(node) ?? '', 'run.mjs')).toEqual(answers)
    })

  it(...needing('Bun', bun), async () => {
    expect(await run(commandOf(bun) ?? '', 'run.mjs')).toEqual(answers)
  })

  it(...needing('Deno', deno), async () => {
    expect(await run(commandOf(deno) ?? '', 'run', '-A', '--node-modules-dir=manual', 'run.mjs')).toEqual(
      answers,
    )
  })

  it(...needing('workerd, with services at module scope', workerd), async () => {
    await bundled('worker.mjs', 'esm')
    expect(await run(commandOf(workerd) ?? '', 'test', 'smoke.capnp')).toEqual(answers)
  })

  it(...needing('workerd without Node, and says what services lack', workerd), async () => {
    await bundled('worker.mjs', 'esm')
    const config = readFileSync(join(place, 'smoke.capnp'), 'utf8')
    writeFileSync(join(place, 'web.capnp'), config.replace('"nodejs_compat"', ''))
    expect(await run(commandOf(workerd) ?? '', 'test', 'web.capnp')).toEqual(answersOfWebApis)
  })

  it(...needing('edge-runtime, and says what services lack', edgeRuntime), async () => {
    await bundled('run.mjs', 'iife')
    const program = spawn(commandOf(edgeRuntime) ?? '', ['run.js'], { cwd: place })
    // It runs on while timers are pending that would keep no other runtime alive.
    onTestFinished(() => void program.kill())
    const [line] = await once(createInterface(program.stdout), 'line')
    expect(JSON.parse(line)).toEqual(answersOfWebApis)
  })

  it(...needing('Chromium under a strict policy, and says what services lack', chromium), async () => {
    const browser = await launch()
    onTestFinished(() => browser.close())
    const answered = await onPage(async (url) => void (await (await browser.newPage()).goto(url)))
    expect(answered).toEqual(answersOfWebApis)
  })

  it(...needing('Firefox under a strict policy, and says what services lack', firefox), async () => {
    const profile = mkdtempSync(join(place, 'firefox-'))
    const answered = await onPage(async (url) => {
      const options = ['--headless', '--no-remote', '--profile', profile, url]
      const program = spawn(commandOf(firefox) ?? '', options, {
        stdio: 'ignore',
        env: { ...process.env, HOME: profile },
      })
      onTestFinished(async () => {
        const ended = once(program, 'exit')
        program.kill()
        await ended
      })
    })
    expect(answered).toEqual(answersOfWebApis)
  })
})

/** What the page of a browser posts that runs the program under a policy without inline scripts and `eval`. */
async function onPage(visit: (url: string) => Promise<void>): Promise<unknown> {
  await bundled('page.mjs', 'iife')
  const posted = new EventEmitter()
  const server = createServer((asked, answer) => {
    const isScript = asked.url === '/page.js'
    answer.setHeader('content-security-policy', "default-src 'none'; script-src 'self'; connect-src 'self'")
    answer.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    answer.end(isScript ? readFileSync(join(place, 'page.js')) : '<script src="/page.js"></script>')
    if (asked.method === 'POST') posted.emit('answers', json(asked))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const answers = once(posted, 'answers')
  await visit(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return (await answers)[0]
}
