import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { postgresServer } from '../store/postgres-server.ts'
import { runnable } from './runnable.ts'

/**
 * Every `@example` of a documentation comment runs as it stands. A line `expression // value` is an assertion
 * when what follows the slashes is itself an expression; otherwise it is a remark.
 */

const folder = resolve(`temp/examples-${process.pid}`)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Example {
  readonly where: string
  readonly code: string
}

const examples: readonly Example[] = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
  .flatMap((path) => {
    const text = readFileSync(join('src', path), 'utf8')
    return [
      ...text.matchAll(/@example[^\n]*\n(?:\s*\*?[^\n]*\n)*?\s*\* ```tsx?\n([\s\S]*?)\n\s*\* ```/g),
    ].map((match) => ({
      where: `${path}:${text.slice(0, match.index).split('\n').length}`,
      code: (match[1] ?? '').replace(/^\s*\* ?/gm, ''),
    }))
  })

const scratch = mkdtempSync(join(tmpdir(), 'plinth-examples-'))
mkdirSync(join(scratch, 'var/lib'), { recursive: true })
mkdirSync(join(scratch, 'var/backups'), { recursive: true })
const server = await postgresServer()
const database = await server.database()
afterAll(async () => {
  await server.stop()
  rmSync(scratch, { recursive: true, force: true })
})

describe('documentation examples', () => {
  it.each(examples.map((example, index) => ({ ...example, index })))('$where', async ({ code, index }) => {
    const path = join(folder, `example-${index}.ts`)
    writeFileSync(path, runnable(code, { directory: scratch, database }))
    expect(await import(path)).toHaveProperty('ran')
  })
})
