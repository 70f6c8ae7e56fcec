import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/**
 * A process of its own that guards itself, then runs `script`: what ends a process cannot be tried inside the runner's.
 */
const guarded = (script: string): Promise<{ code: number | string; said: string; warned: string }> =>
  new Promise((resolve) => {
    const program = `
      import { surviveTypeQueries } from './src/cli/serve/client-faults.ts'
      const forget = surviveTypeQueries({ warn: (line) => console.log(line) })
      /** As the client leaves it: its query hangs on the error, hidden from the console. */
      const fault = (query) =>
        Object.defineProperty(new Error('write CONNECTION_CLOSED'), 'query', { value: query, enumerable: false })
      const typeQuery = 'select b.oid, b.typarray from pg_catalog.pg_type a'
      ${script}
      setTimeout(() => console.log('still alive'), 50)`
    execFile(
      process.execPath,
      ['--import', './scripts/ts-loader.mjs', '--input-type=module', '--eval', program],
      { cwd: root },
      (error, said, warned) => resolve({ code: error === null ? 0 : (error.code ?? ''), said, warned }),
    )
  })

describe('the guard against failures that the postgres client drops', () => {
  it('reports a broken type query and keeps the process alive', async () => {
    expect(await guarded('Promise.reject(fault(typeQuery))')).toMatchObject({
      code: 0,
      said: 'a database connection broke while it was opened: write CONNECTION_CLOSED\nstill alive\n',
    })
  })

  it.each([
    ['of another query', `Promise.reject(fault('select 1'))`, 'CONNECTION_CLOSED'],
    ['that has no query', `Promise.reject(new Error('a bug'))`, 'Error: a bug'],
    ['that is no error', `Promise.reject({ query: typeQuery })`, 'pg_catalog'],
    ['of a type query, once it is taken away', 'forget(); Promise.reject(fault(typeQuery))', 'CONNECTION'],
  ])('leaves a failure %s fatal', async (_, script, reason) => {
    const { code, said, warned } = await guarded(script)
    expect(code).toBe(1)
    expect(said).toBe('')
    expect(warned).toContain(reason)
  })
})
