import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { commandOf, jest, mocha, needing, nodes, playwright } from '../programs.ts'
import { installInto } from './installed.ts'

/** The recipes for test runners, as the pages show them, with the built package in `node_modules`. */
const recipes = ['guide/test-your-program', 'recipes/vitest', 'recipes/jest', 'recipes/msw']
  .flatMap((page) => [
    ...readFileSync(`site/${page}.md`, 'utf8').matchAll(/^```js\n\/\/ (\S+) \((\S+)\)\n([\s\S]*?)^```/gm),
  ])
  .map(([, file = '', runner = '', code = '']) => ({ file, runner, code }))

const place = mkdtempSync(join(tmpdir(), 'plinth-recipes-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))

type File = { readonly file: string; readonly code: string }
const filesOf = (runner: string): readonly File[] => recipes.filter((each) => each.runner === runner)

/** Runs the recipe of a runner in a project of its own. */
const run = (runner: string, command: string, ...args: readonly string[]): Promise<string> =>
  runFiles(filesOf(runner), command, ...args)

async function runFiles(
  files: readonly File[],
  command: string,
  ...args: readonly string[]
): Promise<string> {
  const folder = mkdtempSync(join(place, 'project-'))
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@playwright'), { recursive: true })
  // Jest does not transform what a link leads out of `node_modules`.
  installInto(folder)
  for (const name of ['esbuild', 'msw', 'vitest'])
    symlinkSync(resolve('node_modules', name), join(modules, name))
  symlinkSync(resolve('temp/runners/node_modules/@playwright/test'), join(modules, '@playwright/test'))
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  for (const { file, code } of files) writeFileSync(join(folder, file), code)
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env
  const { stdout, stderr } = await promisify(execFile)(command, args, { cwd: folder, env }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`${command} ${args.join(' ')}:\n${error.stdout}${error.stderr}`)
    },
  )
  return stdout + stderr
}

describe('the recipe for', () => {
  it('vitest gives each test a fork', async () => {
    const vitest = resolve('node_modules/vitest/vitest.mjs')
    expect(await run('vitest', process.execPath, vitest, 'run')).toMatch(/1 passed/)
  })

  it.each(['node:test', 'msw'])('%s runs', async (runner) => {
    expect(await run(runner, process.execPath, '--test')).toMatch(/pass 1/)
  })

  it(...needing('mocha runs', mocha), async () => {
    expect(await run('mocha', commandOf(mocha) ?? '', 'app.spec.mjs')).toMatch(/1 passing/)
  })

  it(...needing('jest runs, and services follow its timers', jest), async () => {
    expect(await run('jest', commandOf(jest) ?? '')).toMatch(/2 passed/)
  })

  const tests = filesOf('jest').filter(({ file }) => file.endsWith('.test.js'))
  const modules = '--experimental-vm-modules'

  for (const node of nodes.filter(({ name }) => /^Node 2[46]/.test(name)))
    it(...needing(`jest runs without the preset on ${node.name}`, jest, node), async () => {
      expect(await runFiles(tests, commandOf(node) ?? '', modules, commandOf(jest) ?? '')).toMatch(/2 passed/)
    })

  it(...needing('jest runs a test that is an ES module without the preset', jest), async () => {
    const asModule = (code: string) =>
      `import { jest } from '@jest/globals'\n${code.replace(/^const (.*) = require\((.*)\)/m, 'import $1 from $2')}`
    const files = tests.map(({ code }) => ({ file: 'app.test.mjs', code: asModule(code) }))
    expect(await runFiles(files, process.execPath, modules, commandOf(jest) ?? '')).toMatch(/2 passed/)
  })

  it(...needing('playwright runs', playwright), async () => {
    expect(await run('playwright', commandOf(playwright) ?? '', 'test')).toMatch(/1 passed/)
  })
})
