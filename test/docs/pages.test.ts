import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { postgresServer } from '../store/postgres-server.ts'
import { runnable } from './runnable.ts'

/**
 * Every program on a page of `site/` runs as it stands, and what it says behind `//` is what comes out. A program that
 * begins with its name (`// phones.ts`) can be imported by those below it.
 */

/** Its store is imported from "wherever you put it": `test/store/own-store.test.ts` runs it. */
const elsewhere = ['write-your-own-store.md']

const folder = resolve(`temp/pages-${process.pid}`)
rmSync(folder, { recursive: true, force: true })
const scratch = mkdtempSync(join(tmpdir(), 'plinth-pages-'))
mkdirSync(join(scratch, 'var/lib'), { recursive: true })
mkdirSync(join(scratch, 'var/backups'), { recursive: true })
const server = await postgresServer()
const database = await server.database()
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
  rmSync(scratch, { recursive: true, force: true })
})

const pages = readdirSync('site').filter((page) => page.endsWith('.md') && !elsewhere.includes(page))

const programs = pages.flatMap((page) =>
  [...readFileSync(join('site', page), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(
    ([, code = ''], index) => ({
      page,
      name: /^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? `program-${index + 1}.ts`,
      code,
    }),
  ),
)

describe('the programs of the pages', () => {
  it.each(programs)('$page: $name runs as pasted', async ({ page, name, code }) => {
    mkdirSync(join(folder, page), { recursive: true })
    const path = join(folder, page, name)
    writeFileSync(path, runnable(code, { directory: scratch, database }))
    expect(await import(path)).toHaveProperty('ran')
  })
})
