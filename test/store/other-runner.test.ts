import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('the suite runs to its end under node:test, which stops when nothing holds the event loop', async () => {
  const directory = await mkdtemp(resolve('node_modules/.plinth-runner-'))
  const file = join(directory, 'suite.test.ts')
  await writeFile(
    file,
    `import { test } from 'node:test'
import { memoryStore, storeConformance } from ${JSON.stringify(resolve('src/store/index.ts'))}
storeConformance(async () => memoryStore(), { test, sequences: 2, rounds: 2 })
`,
  )
  const args = ['--import', './scripts/ts-loader.mjs', '--test', '--test-reporter=tap', file]
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })
    expect(stdout).toMatch(/^# cancelled 0$/m)
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(40)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
