import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandOf, needing, nodes } from '../programs.ts'
import { type Bundled, bundled } from './bundled.ts'

let programs: Bundled
beforeAll(async () => {
  programs = await bundled('on-node', 'conformance/open-adapter')
})
afterAll(() => programs.remove())

describe('the SQLite store keeps the contract, beside handles that open and close,', () => {
  for (const node of nodes)
    it(...needing(`on ${node.name}`, node), async () => {
      const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env
      const args = ['--test', '--test-reporter=tap', programs.file('on-node')]
      const ran = await promisify(execFile)(commandOf(node) ?? '', args, { env }).catch(
        (error: { stdout: string }) => error,
      )
      const failed = ran.stdout.split('\n').filter((line) => /^ *(not ok|error:)/.test(line))
      expect(failed).toEqual([])
      expect(ran.stdout).toMatch(/^# cancelled 0$/m)
      expect(Number(/^# pass (\d+)$/m.exec(ran.stdout)?.[1])).toBeGreaterThan(60)
    })
})
