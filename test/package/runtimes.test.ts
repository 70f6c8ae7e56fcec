import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bun, commandOf, deno, needing, nodes, workerd } from '../programs.ts'
import { installInto } from './installed.ts'

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

const run = async (command: string, ...args: readonly string[]): Promise<unknown> => {
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env
  const { stdout } = await promisify(execFile)(command, args, { cwd: place, env })
  return JSON.parse(stdout)
}

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
    await build({
      absWorkingDir: place,
      entryPoints: ['worker.mjs'],
      outfile: join(place, 'worker.js'),
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['workerd', 'worker'],
      external: ['node:*'],
    })
    expect(await run(commandOf(workerd) ?? '', 'test', 'smoke.capnp')).toEqual(answers)
  })
})
