import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { launch } from '../browser/browser.ts'
import { bun, chromium, commandOf, deno, edgeRuntime, needing, nodes, workerd } from '../programs.ts'
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
    await bundled('run.mjs', 'iife')
    const server = createServer(({ url }, answer) => {
      const isScript = url === '/run.js'
      answer.setHeader('content-security-policy', "default-src 'none'; script-src 'self'")
      answer.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      answer.end(isScript ? readFileSync(join(place, 'run.js')) : '<script src="/run.js"></script>')
    }).listen(0, '127.0.0.1')
    const browser = await launch()
    try {
      const page = await browser.newPage()
      const said = page.waitForEvent('console')
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
      expect(JSON.parse((await said).text())).toEqual(answersOfWebApis)
    } finally {
      await browser.close()
      server.close()
    }
  })
})
