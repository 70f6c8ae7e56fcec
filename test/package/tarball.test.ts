import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as esbuild from 'esbuild'
import { rollup } from 'rollup'
import * as vite from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { needing, rollupResolver, webpack } from '../programs.ts'

/** A scratch project that has the packed tarball and its declared dependencies, and nothing else. */
const project = mkdtempSync(join(tmpdir(), 'plinth-consumer-'))
const installed = join(project, 'node_modules', 'plinth')
const subpaths = Object.entries(packageJson.exports).filter(([, target]) => typeof target === 'object')
/** Subpaths that need an optional peer; a project without it must not be troubled by the others. */
/** What Node without `node:sqlite` says. */
const driverAdvice =
  'there is no SQLite driver: use Node 22.13 or later, which has node:sqlite, or npm install better-sqlite3@12'
const adapters = ['./store/postgres', './store/sqlite', './filter/codemirror']
const name = (subpath: string) => `plinth${subpath.slice(1)}`

let tarball = ''

beforeAll(() => {
  const packed = execFileSync(
    'npm',
    ['pack', '--ignore-scripts', '--silent', '--pack-destination', project],
    {
      encoding: 'utf8',
    },
  ).trim()
  tarball = join(project, packed.split('\n').at(-1) ?? '')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  for (const dependency of [...Object.keys(packageJson.dependencies), '@types/node', 'undici-types'])
    link(dependency)
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

const link = (dependency: string) => {
  const source = resolve('node_modules', dependency)
  const target = join(project, 'node_modules', dependency)
  if (!existsSync(source) || existsSync(target)) return
  mkdirSync(join(target, '..'), { recursive: true })
  symlinkSync(source, target)
}

const node = (code: string): string => {
  writeFileSync(join(project, 'app.mjs'), code)
  return execFileSync(process.execPath, ['app.mjs'], { cwd: project, encoding: 'utf8' })
}

describe('the packed package in a scratch project', () => {
  it('holds built code in few files, and neither sources nor tests', () => {
    expect(existsSync(join(installed, 'dist/index.js'))).toBe(true)
    for (const absent of ['src', 'test', 'node_modules'])
      expect(existsSync(join(installed, absent))).toBe(false)
    const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    expect(files.length).toBeLessThanOrEqual(311)
    expect(files.filter(({ name }) => name.endsWith('.map'))).toEqual([])
    expect(readFileSync(join(installed, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')).toContain('date-fns')
    expect(readFileSync(join(installed, 'dist/cli/main.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node/)
  })

  it('holds at most 1.43 MB, with code that people can read', () => {
    expect(statSync(tarball).size).toBeLessThanOrEqual(1_430_000)
    const chunks = readdirSync(join(installed, 'dist/chunks')).filter((file) => file.endsWith('.js'))
    const code = chunks.map((file) => readFileSync(join(installed, 'dist/chunks', file), 'utf8')).join('\n')
    expect(code).toContain(
      '\n// src/filter/compiling/compile.ts\nfunction compile(expression, options = {}) {\n',
    )
  })

  it('imports every subpath that needs no optional peer', () => {
    const wanted = subpaths.map(([subpath]) => subpath).filter((subpath) => !adapters.includes(subpath))
    const code = `for (const name of ${JSON.stringify(wanted.map(name))}) if (Object.keys(await import(name)).length === 0) throw new Error(name)\nconsole.log('all')`
    expect(node(code)).toBe('all\n')
  })

  it('can be required, too, and is the same code then', () => {
    const wanted = subpaths.map(([subpath]) => subpath).filter((subpath) => !adapters.includes(subpath))
    const code = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
for (const name of ${JSON.stringify(wanted.map(name))}) {
  const [imported, required] = [await import(name), require(name)]
  for (const key of Object.keys(imported)) if (imported[key] !== required[key]) throw new Error(name + ' ' + key)
}
console.log('all')`
    expect(node(code)).toBe('all\n')
  })

  it('runs as a command', () => {
    const bin = execFileSync(process.execPath, [join(installed, 'dist/cli/main.js'), '--version'], {
      encoding: 'utf8',
    })
    expect(bin).toMatch(/\d+\.\d+\.\d+/)
  })

  it('shares each error class between subpaths', () => {
    const code = `import { DomainError, refuse, unwrap } from 'plinth'
import { FilterError, compile } from 'plinth/filter'
import { StoreError } from 'plinth/store'
import { createRegistry } from 'plinth/registry'
const thrown = (run) => { try { run() } catch (error) { return error } }
const registry = createRegistry()
await registry.close()
const late = await registry.list().catch((error) => error)
console.log(thrown(() => compile('((')) instanceof FilterError, late instanceof StoreError, thrown(() => unwrap(refuse('no', 'no'))) instanceof DomainError)`
    expect(node(code)).toBe('true true true\n')
  })

  it('filters in JavaScript', () => {
    const code = `import { compile } from 'plinth/filter'
const running = compile('Status == "running" and Priority != 50')
console.log(JSON.stringify(running.select([{ Status: 'running', Priority: 70 }, { Status: 'dead', Priority: 70 }])))`
    expect(node(code)).toBe('[{"Status":"running","Priority":70}]\n')
  })

  it('says what to install when a store is opened without its package or client', () => {
    const code = `const { postgresStore } = await import('plinth/store/postgres')
const { sqliteStore } = await import('plinth/store/sqlite')
const opened = await postgresStore().catch((error) => error)
const file = process.getBuiltinModule?.('node:sqlite') ? undefined : await sqliteStore('./a.sqlite').catch((error) => error)
console.log(opened.message)
console.log(file?.message ?? '${driverAdvice}')`
    expect(node(code)).toBe(
      `client is neither postgres nor pg: pass the result of postgres(…), or a Pool of pg, as the first argument (npm install postgres, or pg)
${driverAdvice}
`,
    )
  })

  it('says on the command line what to install for a store', () => {
    const serve = (data: string) => {
      const run = spawnSync(
        process.execPath,
        [
          join(installed, 'dist/cli/main.js'),
          'serve',
          '--only=registry',
          '--registry-port=0',
          '--data',
          data,
        ],
        { cwd: project, encoding: 'utf8' },
      )
      return `${run.status}: ${run.stderr.trim()}`
    }
    if (process.getBuiltinModule?.('node:sqlite') === undefined)
      expect(serve('./data')).toBe(`1: plinth: ${driverAdvice}`)
    expect(serve('postgres://localhost/none')).toMatch(
      /^[12]: [^\n]*--data postgres:\/\/… needs the package postgres: run npm install postgres@3$/,
    )
  })

  describe('a bare import of the element defines it in the production bundle of', () => {
    const entry = join(project, 'page.js')
    const kept = (code: string) => /customElements[^;]*define\(["'`]plinth-filter["'`]/.test(code)
    beforeAll(() => writeFileSync(entry, `import 'plinth/filter'\nimport 'plinth/filter/element'\n`))

    it('esbuild', async () => {
      const { outputFiles } = await esbuild.build({
        entryPoints: [entry],
        bundle: true,
        minify: true,
        format: 'esm',
        write: false,
      })
      expect(kept(outputFiles[0]?.text ?? '')).toBe(true)
    })

    it('Vite', async () => {
      const built = await vite.build({
        root: project,
        logLevel: 'silent',
        configFile: false,
        build: { write: false, rollupOptions: { input: entry } },
      })
      const outputs = [built].flat().flatMap((each) => ('output' in each ? each.output : []))
      expect(outputs.some((output) => output.type === 'chunk' && kept(output.code))).toBe(true)
    })

    it(...needing('Rollup', rollupResolver), async () => {
      const { nodeResolve } = await import(
        resolve('temp/loaded/node_modules/@rollup/plugin-node-resolve/dist/es/index.js')
      )
      const bundle = await rollup({ input: entry, plugins: [nodeResolve()] })
      const { output } = await bundle.generate({ format: 'esm' })
      expect(output.some((each) => each.type === 'chunk' && kept(each.code))).toBe(true)
    })

    it(...needing('webpack', webpack), async () => {
      const { default: pack } = await import(resolve('temp/loaded/node_modules/webpack/lib/index.js'))
      const output = { path: join(project, 'packed'), filename: 'page.js' }
      const errors = await new Promise((done) =>
        pack({ mode: 'production', entry, output }, (_error: unknown, stats: { hasErrors: () => boolean }) =>
          done(stats.hasErrors()),
        ),
      )
      expect(errors).toBe(false)
      expect(kept(readFileSync(join(output.path, output.filename), 'utf8'))).toBe(true)
    })
  })

  it('takes at most 16 MB with everything it depends on', () => {
    const sizes = ['plinth', ...dependenciesOf('plinth')].map((dependency) =>
      bytesIn(realpathSync(join(project, 'node_modules', dependency))),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(16_000_000)
  })

  it.each([
    ['5.7', 'typescript-5.7'],
    ['6', 'typescript'],
    ['7', 'typescript-7'],
  ])(
    'type-checks in strict TypeScript %s, library checks on, without the optional peers',
    (version, compiler) => {
      expect(packageOf(resolve('node_modules', compiler)).version.startsWith(`${version}.`)).toBe(true)
      // The types of an editor are those of its packages, the types of an element those of the DOM.
      const imports = subpaths
        .filter(([subpath]) => subpath !== './filter/codemirror' && subpath !== './filter/element')
        .map(
          ([subpath], index) =>
            `import * as m${index} from '${name(subpath)}'\nexport const k${index} = Object.keys(m${index})`,
        )
      const use = `import { compile } from 'plinth/filter'
import * as z from 'zod'
const Job = z.object({ Status: z.string(), Priority: z.int() })
export const rows = compile('Priority == 50', { schema: Job }).select([{ Status: 'running', Priority: 50 }])
export const status: string | undefined = rows[0]?.Status`
      writeFileSync(join(project, 'app.ts'), [...imports, use].join('\n'))
      expect(typeErrors(compiler)).toBe('')
    },
  )

  it('type-checks without the types of Node, but for the subpaths that name them', () => {
    const ofNode = ['./node', './store/postgres']
    const imports = subpaths
      .filter(([subpath]) => !ofNode.includes(subpath) && subpath !== './filter/codemirror')
      .map(([subpath], index) => `export * as m${index} from '${name(subpath)}'`)
    const check = (lines: readonly string[]) => {
      writeFileSync(join(project, 'app.ts'), lines.join('\n'))
      return typeErrors('typescript-7', ['DOM'], [])
    }
    expect(check(imports)).toBe('')
    for (const subpath of ofNode)
      expect(check([`export * from '${name(subpath)}'`])).toContain('npm i --save-dev @types/node')
  })

  it.each([
    ['5.7', 'typescript-5.7'],
    ['6', 'typescript'],
    ['7', 'typescript-7'],
  ])('type-checks the element with the DOM in TypeScript %s', (_version, compiler) => {
    const code = `import 'plinth/filter/element'
import type { FilterChange } from 'plinth/filter/element'
const box = document.createElement('plinth-filter')
box.fields = [{ selector: 'Status', kind: 'string', optional: false, operators: ['=='] }]
box.value = 'Status == "up"'
box.addEventListener('change', (event) => {
  const { filter, error } = (event as CustomEvent<FilterChange<{ Status: string }>>).detail
  console.log(error === undefined ? filter?.test({ Status: 'up' }) : error.message)
})`
    writeFileSync(join(project, 'app.ts'), code)
    expect(typeErrors(compiler, ['DOM', 'DOM.Iterable'])).toBe('')
  })

  it('type-checks and works in CodeMirror, once its packages are there', () => {
    const editor = ['@codemirror', '@lezer', '@marijn'].flatMap((scope) =>
      readdirSync(resolve('node_modules', scope)).map((dependency) => `${scope}/${dependency}`),
    )
    for (const dependency of [...editor, 'crelt', 'style-mod', 'w3c-keyname']) link(dependency)
    const code = `import { EditorState } from '@codemirror/state'
import { filter, filterLinter } from 'plinth/filter/codemirror'
import * as z from 'zod'
const schema = z.object({ Status: z.string() })
const state = EditorState.create({ doc: 'Status == "up"', extensions: [filter({ schema }), filterLinter({ schema })] })
console.log(state.languageDataAt('autocomplete', 1).length)`
    writeFileSync(join(project, 'app.ts'), code)
    expect(typeErrors('typescript', ['DOM', 'DOM.Iterable'])).toBe('')
    expect(node(code)).toBe('1\n')
  })
})

/** What a compiler says of `app.ts`, library checks on. */
function typeErrors(
  compiler: string,
  libraries: readonly string[] = [],
  types: readonly string[] = ['node'],
): string {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023', 'ESNext.Disposable', ...libraries],
    types,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }))
  const tsc = resolve('node_modules', compiler, 'bin/tsc')
  return errorsOf(() => execFileSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' }))
}

const packageOf = (folder: string): { version: string; dependencies?: Record<string, string> } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** The packages that an installed one brings along, theirs included. */
const dependenciesOf = (dependency: string): readonly string[] => {
  const direct = Object.keys(packageOf(join(project, 'node_modules', dependency)).dependencies ?? {})
  return [...new Set([...direct, ...direct.flatMap(dependenciesOf)])]
}

/** What a folder takes on a disk of 4 KiB blocks. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => Math.ceil(statSync(join(entry.parentPath, entry.name)).size / 4096) * 4096)
    .reduce((sum, size) => sum + size, 0)

const errorsOf = (run: () => string): string => {
  try {
    return run()
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
  }
}
