import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jest, mocha, needing, type Program, playwright, terraform, vagrant } from '../programs.ts'
import { postgresServer } from '../store/postgres-server.ts'

/**
 * Every example that is a package, as a reader has it: a folder of its own with the packed library in its `node_modules`. What else it
 * depends on is linked from this repository's, so that no example has a lock file to keep.
 */
const examples = readdirSync('examples', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const packages = examples.filter((name) => existsSync(join('examples', name, 'package.json')))

const place = mkdtempSync(join(tmpdir(), 'plinth-examples-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))

const packageOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly scripts?: { readonly test?: string }
    readonly dependencies: Readonly<Record<string, string>>
    readonly devDependencies?: Readonly<Record<string, string>>
    readonly bin?: Readonly<Record<string, string>>
  }

/** Below `node_modules` also where links lead: Jest transforms only what is there. */
const library = join(place, 'library', 'node_modules', 'plinth')

beforeAll(() => {
  mkdirSync(library, { recursive: true })
  const options = ['pack', '--ignore-scripts', '--silent', '--pack-destination', place]
  const packed = execFileSync('npm', options, { encoding: 'utf8' }).trim().split('\n').at(-1) ?? ''
  execFileSync('tar', ['-xzf', join(place, packed), '-C', library, '--strip-components=1'])
  for (const dependency of ['immer', 'zod', 'postgres', 'libsql'])
    link(resolve('node_modules', dependency), join(library, 'node_modules', dependency))
})

function link(source: string, target: string): void {
  if (!existsSync(source)) throw new Error(`${source} is not installed: add it to devDependencies`)
  mkdirSync(join(target, '..'), { recursive: true })
  symlinkSync(source, target)
}

/** The file of an app that `built-examples.test.ts` builds: here its handlers are asked. */
const routes: Readonly<Record<string, string>> = {
  next: './app/v1/[...path]/route.js',
  sveltekit: './src/routes/v1/[...path]/+server.js',
  'react-router': './app/registry.js',
}
const isBuilt = (dependency: string) =>
  /^(?:next|isbot|react-router|@react-router\/.*|@sveltejs\/.*)$/.test(dependency)

/** Where a package or a command is installed: here, or with the other test runners. */
const installed = (path: string) =>
  ['node_modules', 'temp/runners/node_modules'].map((folder) => resolve(folder, path)).find(existsSync)

/** Runs the test command of an example in a copy of it; an example without one has an app, which is asked. */
async function runTest(example: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = mkdtempSync(join(place, `${example}-`))
  cpSync(join('examples', example), folder, { recursive: true })
  const { scripts, dependencies, devDependencies } = packageOf(folder)
  for (const dependency of Object.keys({ ...dependencies, ...devDependencies }).filter((it) => !isBuilt(it)))
    link(
      dependency === 'plinth' ? library : (installed(dependency) ?? resolve('node_modules', dependency)),
      join(folder, 'node_modules', dependency),
    )
  const commands = join(folder, 'node_modules', '.bin')
  mkdirSync(commands)
  symlinkSync(join(library, 'dist', 'cli', 'main.js'), join(commands, 'plinth'))
  for (const name of ['vitest', ...Object.keys(runners)]) {
    const runner = installed(`.bin/${name}`)
    if (runner !== undefined) symlinkSync(runner, join(commands, name))
  }
  const path = `${commands}${delimiter}${process.env['PATH']}`
  const { NODE_OPTIONS: _, VITEST: __, ...clean } = process.env
  if (scripts?.test === undefined) cpSync('test/package/asked-example.mjs', join(folder, 'asked-example.mjs'))
  const command = scripts?.test ?? `node asked-example.mjs '${routes[example] ?? './app.mjs'}'`
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', command], {
    cwd: folder,
    env: { ...clean, PATH: path, ...env },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { readonly stdout: string; readonly stderr: string }) => {
    throw new Error(`${command} failed in ${example}:\n${error.stdout}${error.stderr}`)
  })
  return stdout + stderr
}

/** The examples of test runners that are not installed with the others. */
const runners: Readonly<Record<string, Program>> = { jest, mocha, playwright }

describe('examples', () => {
  const clients = 'vagrant-terraform'
  const onDatabase = ['two-processes', 'drizzle', 'knex', 'kysely', 'prisma-sql', 'typeorm']

  const isAsked = (name: string) => packageOf(join('examples', name)).scripts?.test === undefined

  const others = packages.filter((name) => name !== clients && !onDatabase.includes(name))
  for (const name of others.filter((other) => !isAsked(other)))
    it(...needing(name, ...(runners[name] ? [runners[name]] : [])), async () => {
      expect(await runTest(name)).toMatch(/# fail 0|\d+ pass(?:ed|ing)/)
    })

  it.each(packages.filter(isAsked))('%s answers where the app puts it', async (name) => {
    expect(JSON.parse(await runTest(name))).toEqual({ meta: { limit: 7, current_offset: 0 }, modules: [] })
  })

  it('on PostgreSQL', async () => {
    const server = await postgresServer()
    try {
      for (const name of onDatabase) {
        const output = await runTest(name, { DATABASE_URL: await server.database() })
        expect(output, name).toMatch(/# pass 1/)
      }
    } finally {
      await server.stop()
    }
  })

  it(...needing(`${clients} with vagrant`, vagrant), async () => {
    expect(await runTest(clients)).toContain('vagrant: fetched acme/tiny')
  })

  it(...needing(`${clients} with terraform`, terraform), async () => {
    expect(await runTest(clients)).toContain('terraform: fetched acme/vpc/aws')
  })

  it('is listed', () => {
    const page = readFileSync('examples/README.md', 'utf8')
    expect(examples.filter((name) => !page.includes(`[${name}](${name}/`))).toEqual([])
  })
})
