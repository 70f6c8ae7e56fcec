import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { postgresServer } from '../store/postgres-server.ts'
import { examples, folderOf, pages, programsOf } from './programs.ts'
import { runnable } from './runnable.ts'

/**
 * Every `@example` of a documentation comment and every program of a page runs as it stands. A line
 * `expression // value` is an assertion when what follows the slashes is itself an expression; otherwise it is a remark.
 */

/** Its store is imported from "wherever you put it": `test/store/own-store.test.ts` runs it. */
const elsewhere = 'site/guide/write-your-own-store.md'

const folder = resolve(`temp/examples-${process.pid}`)
rmSync(folder, { recursive: true, force: true })

const scratch = mkdtempSync(join(tmpdir(), 'plinth-examples-'))
mkdirSync(join(scratch, 'var/lib'), { recursive: true })
mkdirSync(join(scratch, 'var/backups'), { recursive: true })
const server = await postgresServer()
const database = await server.database()
afterAll(async () => {
  await server.stop()
  rmSync(scratch, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
})

const programs = [...examples, ...pages.filter((page) => page !== elsewhere).flatMap(programsOf)]

describe('documentation examples', () => {
  it.each(programs)('$page $name', async ({ page, name, code }) => {
    const path = join(folder, folderOf(page), name)
    mkdirSync(join(folder, folderOf(page)), { recursive: true })
    writeFileSync(path, runnable(code, { directory: scratch, database }))
    expect(await import(path)).toHaveProperty('ran')
  })
})
