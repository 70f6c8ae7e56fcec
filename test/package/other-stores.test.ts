import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bun, commandOf, needing, pglite, workerd } from '../programs.ts'
import { bundleIn, installInto, runIn } from './installed.ts'

/** The databases of other runtimes, given to the packed package as `site/reference/runtimes.md` says. */
const place = mkdtempSync(join(tmpdir(), 'plinth-other-stores-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))
beforeAll(() => {
  installInto(place)
  cpSync('test/package/smoke', place, { recursive: true })
})

describe('a store keeps the contract', () => {
  const kept = { cases: expect.toSatisfy((cases: number) => cases > 70), failed: [] }

  it(...needing('on the SQLite of Bun', bun), async () => {
    expect(await runIn(place, commandOf(bun) ?? '', 'conformance.mjs', 'bun:sqlite', place)).toEqual(kept)
  })

  it(
    ...needing('on PGlite, but for commits inside a read, which need another connection', pglite),
    async () => {
      cpSync('examples/pglite/pool.mjs', join(place, 'pglite-pool.mjs'))
      symlinkSync(
        resolve('temp/loaded/node_modules/@electric-sql'),
        join(place, 'node_modules/@electric-sql'),
      )
      expect(await runIn(place, process.execPath, 'conformance.mjs', 'pglite', place)).toEqual({
        ...kept,
        failed: [
          'a read sees one snapshot despite concurrent commits',
          'of an import nothing is seen before it is whole',
        ],
      })
    },
  )
})

/** Asks the scheduler in the Durable Object of a new process, which is then killed; the status of the answer. */
async function withObject(ask: (base: string) => Promise<Response>): Promise<number> {
  const args = ['serve', 'object.capnp', '--control-fd=1']
  const program = spawn(commandOf(workerd) ?? '', args, { cwd: place })
  try {
    const [line] = await once(createInterface(program.stdout), 'line')
    const { status } = await ask(`http://127.0.0.1:${JSON.parse(line).port}`)
    return status
  } finally {
    program.kill('SIGKILL')
    await once(program, 'exit')
  }
}

it(
  ...needing('a Durable Object has what was acknowledged before its process was killed', workerd),
  async () => {
    cpSync('examples/durable-object', place, { recursive: true })
    mkdirSync(join(place, 'objects'))
    await bundleIn(place, 'object.mjs', 'esm')
    const Job = {
      ID: 'web',
      TaskGroups: [{ Name: 'web', Count: 1, Tasks: [{ Name: 'web', Driver: 'docker' }] }],
    }
    const read = (base: string) => fetch(`${base}/v1/job/web`)
    expect(await withObject(read)).toBe(404)
    const register = (base: string) =>
      fetch(`${base}/v1/jobs`, { method: 'PUT', body: JSON.stringify({ Job }) })
    expect(await withObject(register)).toBe(200)
    expect(await withObject(read)).toBe(200)
  },
)
