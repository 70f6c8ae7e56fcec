import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killAll, type Server, start } from '../cli/server.ts'
import { curl, needing } from '../programs.ts'
import { programsOf } from './programs.ts'
import { runnable } from './runnable.ts'

/** What the README shows is what happens: its programs run, and its transcripts are repeated word for word. */

const readme = readFileSync('README.md', 'utf8')
const transcripts = [...readme.matchAll(/^```console\n([\s\S]*?)^```/gm)].map(([, text = '']) => text)

const folder = resolve(`temp/readme-${process.pid}`)
beforeAll(() => mkdirSync(folder, { recursive: true }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the programs of the README', () => {
  it.each(programsOf('README.md'))('$name runs as pasted', async ({ name, code }) => {
    const path = join(folder, name)
    writeFileSync(path, runnable(code))
    expect(await import(path)).toHaveProperty('ran')
  })
})

describe('the transcripts of the README', () => {
  let server: Server
  beforeAll(async () => {
    server = await start('--demo', '--root-token', 'root')
  })
  afterAll(killAll)

  /** A transcript is commands after `$ ` (continued lines end in a backslash), each followed by what it prints. */
  const steps = transcripts.flatMap((text) =>
    text
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [, command = '', output = ''] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(step) ?? []
        return { command, output: output.trimEnd() }
      }),
  )

  it.each(steps)(...needing('$command', curl), async ({ command, output }) => {
    const { secrets, scheduler, gateway, catalog, registry } = server.ready
    const here = Object.entries({
      8200: secrets,
      4646: scheduler,
      9203: gateway,
      8300: catalog,
      8400: registry,
    }).reduce((text, [port, { url }]) => text.replaceAll(`http://127.0.0.1:${port}`, url), command)
    const { stdout } = await promisify(execFile)('bash', ['-c', here])
    expect(stdout.trimEnd()).toBe(output)
  })

  it('are there', () => {
    expect(steps.length).toBeGreaterThan(2)
  })
})
