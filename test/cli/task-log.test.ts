import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { taskLog } from '../../src/cli/runner/task-log.ts'

const folder = mkdtempSync(join(tmpdir(), 'plinth-log-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('loses what cannot be written, and goes on once it can', () => {
  const log = taskLog(folder, 'main.stdout', { files: 2, bytes: 1 })
  log.write(Buffer.from('a'))
  rmSync(folder, { recursive: true })
  log.write(Buffer.from('b'))
  mkdirSync(folder)
  log.write(Buffer.from('c'))
  log.close()
  expect(readFileSync(join(folder, 'main.stdout.1'), 'utf8')).toBe('c')
})
