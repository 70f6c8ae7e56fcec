import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoHints } from '../../src/cli/serve/demo/hints.ts'
import { killAll, type Server, start } from '../cli/server.ts'
import { needing, terraform, vagrant } from '../programs.ts'

let server: Server
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-demo-'))
  server = await start('--demo')
})
afterAll(() => {
  killAll()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the line that the demo prints for a program, as someone who copies it. */
async function copied(program: string): Promise<string> {
  const line = demoHints(server.ready).find((hint) => hint.includes(` ${program} `)) ?? 'false'
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    VAGRANT_HOME: join(folder, 'vagrant'),
    CHECKPOINT_DISABLE: '1',
  }
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: folder, env })
  return stdout
}

describe(...needing('the line of the demo for vagrant', vagrant), () => {
  it('adds a box', async () => {
    expect(await copied('vagrant')).toContain("Successfully added box 'acme/alpine'")
  })
})

describe(...needing('the line of the demo for terraform', terraform), () => {
  it('installs a module', async () => {
    expect(await copied('terraform')).toContain('successfully initialized')
    const installed = JSON.parse(readFileSync(join(folder, '.terraform/modules/modules.json'), 'utf8'))
    expect(installed.Modules).toContainEqual(expect.objectContaining({ Key: 'labels', Version: '1.2.0' }))
  })
})
