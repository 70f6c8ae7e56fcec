import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite/index.ts'

let directory = ''
beforeAll(async () => {
  // Beside the sources, so that packages are found.
  directory = await mkdtemp(join(import.meta.dirname, '../../node_modules/.plinth-waiting-'))
  await build({
    entryPoints: [join(import.meta.dirname, 'waiting-script.ts')],
    outfile: join(directory, 'script.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Runs a case in a process of its own; `waiting` happens once the script says that it waits. */
const run = async (name: string, waiting?: (data: string) => Promise<unknown>) => {
  const data = await mkdtemp(join(directory, 'data-'))
  const child = spawn(process.execPath, [join(directory, 'script.mjs'), name, data])
  let [said, complaint] = ['', '']
  let during: Promise<unknown> | undefined
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes
    if (said.includes('waiting')) during ??= waiting?.(data)
  })
  child.stderr.on('data', (bytes: Buffer) => {
    complaint += bytes
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  await during
  return { code, said: said.trim().split('\n').at(-1), complaint }
}

const commitElsewhere = async (data: string) => {
  const store = await sqliteStore(join(data, 'a.sqlite'))
  await store.commit([{ id: 'other', put: [{ key: 'key', value: { from: 'another process' } }] }])
  await store.close()
}

describe('a plain script lives until what it waits for has come', () => {
  it.each([
    ['a blocking query', 'answered 200'],
    ['a blocking query on a followed store', 'answered 200'],
    ['changes of a store in memory', 'answered 0'],
    ['changes of SQLite', 'answered 0'],
    ['the grace of a gateway', 'answered elapsed'],
    ['a push that is not answered at once', 'answered true'],
  ])('%s', async (name, answer) => {
    expect(await run(name)).toEqual({ code: 0, said: answer, complaint: '' })
  })

  it.each([
    ['a commit of another process, at a hub', 'answered true'],
    ['a revision that another process commits', 'answered 1'],
  ])('%s', async (name, answer) => {
    expect(await run(name, commitElsewhere)).toEqual({ code: 0, said: answer, complaint: '' })
  })
})

describe('a plain script ends when nothing waits', () => {
  it('although services and followers are open', async () => {
    expect(await run('services that are not closed')).toEqual({ code: 0, said: 'answered', complaint: '' })
  })

  it('once its service was closed: all waits end', async () => {
    const { code, said, complaint } = await run('waits that are given up')
    expect({ code, said, complaint }).toEqual({ code: 0, said: 'answered ffrrrf', complaint: '' })
  })
})
