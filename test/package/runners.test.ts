import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { commandOf, jest, needing, nodes } from '../programs.ts'
import { installInto } from './installed.ts'

/** The example for Jest without the preset, which newer versions of Node and ES modules do not need. */
const tests = readFileSync('examples/jest/app.test.js', 'utf8')

const place = mkdtempSync(join(tmpdir(), 'plinth-jest-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))

async function runJest(node: string, file: string, code: string): Promise<string> {
  const folder = mkdtempSync(join(place, 'project-'))
  installInto(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  writeFileSync(join(folder, file), code)
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env
  const args = ['--experimental-vm-modules', commandOf(jest) ?? '']
  const { stderr } = await promisify(execFile)(node, args, { cwd: folder, env })
  return stderr
}

describe('jest without the preset', () => {
  for (const node of nodes.filter(({ name }) => /^Node 2[46]/.test(name)))
    it(...needing(`runs on ${node.name}`, jest, node), async () => {
      expect(await runJest(commandOf(node) ?? '', 'app.test.js', tests)).toMatch(/2 passed/)
    })

  it(...needing('runs a test that is an ES module', jest), async () => {
    const code = `import { jest } from '@jest/globals'\n${tests.replace(/^const (.*) = require\((.*)\)/m, 'import $1 from $2')}`
    expect(await runJest(process.execPath, 'app.test.mjs', code)).toMatch(/2 passed/)
  })
})
