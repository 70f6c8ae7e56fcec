import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** A repository whose first commit does not build, and whose second takes until it is interrupted. */
const room = mkdtempSync(join(tmpdir(), 'plinth-compare-test-'))
const project = join(room, 'project')
/** Where worktrees of BASE are made. */
const temporary = join(room, 'temporary')
const build = `import { writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(join(room, 'building'))}, '')
setInterval(() => {}, 60_000)`

const git = (...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], {
    cwd: project,
    encoding: 'utf8',
  })

beforeAll(() => {
  for (const folder of [temporary, ...['bench', 'dist', 'scripts', 'src'].map((name) => join(project, name))])
    mkdirSync(folder, { recursive: true })
  git('init', '--quiet')
  const commit = (script: string) => {
    writeFileSync(join(project, 'build.mjs'), script)
    git('add', '--all')
    git('commit', '--quiet', '--message', 'a state')
  }
  writeFileSync(join(project, 'package.json'), '{"scripts":{"build":"node build.mjs"}}')
  writeFileSync(join(project, 'package-lock.json'), '{}')
  writeFileSync(join(project, 'bench', 'base'), 'HEAD~1\n')
  commit(`console.error('error: no module of that name')\nprocess.exit(1)`)
  commit(build)
  // The working tree counts as built.
  writeFileSync(join(project, 'dist', 'index.js'), '')
})

afterAll(() => rmSync(room, { recursive: true, force: true }))

const compare = (...args: readonly string[]) => {
  const script = resolve('bench/compare/compare.ts')
  const child = spawn(process.execPath, ['--import', resolve('scripts/ts-loader.mjs'), script, ...args], {
    cwd: project,
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    text += more
  })
  const ended = once(child, 'close').then(([code]) => ({
    code,
    lines: text.split('\n').filter((line) => line !== '' && !line.startsWith('building ')),
    left: [...readdirSync(temporary), ...git('worktree', 'list').trim().split('\n').slice(1)],
  }))
  return { child, ended }
}

it('a base that does not exist is told in one line', async () => {
  expect(await compare('nowhere').ended).toEqual({
    code: 2,
    lines: ['bench:compare: there is no commit nowhere; git log lists those there are'],
    left: [],
  })
})

it('a base that does not build is told in one line, and leaves no worktree', async () => {
  const commit = git('rev-parse', 'HEAD~1').slice(0, 8)
  expect(await compare().ended).toEqual({
    code: 2,
    lines: [`bench:compare: ${commit} does not build: error: no module of that name`],
    left: [],
  })
})

it('Ctrl-C ends the build of the base, and leaves no worktree', async () => {
  const { child, ended } = compare('HEAD')
  await expect.poll(() => existsSync(join(room, 'building'))).toBe(true)
  expect(readdirSync(temporary)).not.toEqual([])
  child.kill('SIGINT')
  expect(await ended).toEqual({ code: 130, lines: ['bench:compare: interrupted'], left: [] })
})
