import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runnable } from './runnable.ts'

const folder = resolve(`temp/one-server-${process.pid}`)
beforeAll(() => mkdirSync(folder, { recursive: true }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the page about one server shows a program that runs as pasted', async () => {
  const [, code = ''] = /^```ts\n([\s\S]*?)^```/m.exec(readFileSync('site/one-server.md', 'utf8')) ?? []
  const path = join(folder, 'program.ts')
  writeFileSync(path, runnable(code))
  expect(await import(path)).toHaveProperty('ran')
})
