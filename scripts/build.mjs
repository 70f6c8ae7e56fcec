// Builds dist/ from src/: one file for each subpath of the package and for the command line, with shared chunks beside
// them, and types bundled alike. What users need not see (date-fns among others) is bundled; the dependencies of
// package.json stay imports.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, transform } from 'esbuild'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import ts from 'typescript'

const { bin, dependencies, exports, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

const run = (...args) => {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** The modules behind the subpaths, as their paths below dist/ and src/ without an ending. */
const subpaths = Object.values(exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.replace(/^\.\/dist\/(.*)\.js$/, '$1')],
)
const commandLine = bin.plinth.replace(/^\.\/dist\/(.*)\.js$/, '$1')
const external = Object.keys({ ...dependencies, ...peerDependencies })

run('scripts/generate-parsers.mjs', '--check')
run('scripts/build-console.mjs')
for (const folder of ['dist', 'temp/types']) rmSync(folder, { recursive: true, force: true })

const { metafile } = await build({
  entryPoints: [...subpaths, commandLine].map((path) => `src/${path}.ts`),
  outbase: 'src',
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
  // Its other variant imports `node:crypto`, which keeps the package from loading where that is missing.
  alias: { 'shamir-secret-sharing/csprng': './node_modules/shamir-secret-sharing/esm/csprng.js' },
  // Nothing is minified: bundlers of applications need the `@__PURE__` comments and separate declarations to drop what
  // is not used, and people read stack traces. A comment above each module names its source; source maps would add 0.5 MB
  // to the tarball.
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  plugins: [
    { name: 'short names', setup: shortenNames },
    { name: 'metrics without traces', setup: withoutTraces },
  ],
})
for (const path of Object.keys(metafile.outputs)) {
  withoutIdleImports(path)
  withoutComments(path)
}
// Chunks of modules that only import or hold types: nothing imports them any more.
for (const path of Object.keys(metafile.outputs)) if (readFileSync(path).length === 0) rmSync(path)
chmodSync(`dist/${commandLine}.js`, 0o755)
for (const file of ['jest-preset.cjs', 'jest-transform.cjs']) copyFileSync(`src/${file}`, `dist/${file}`)
const inConsole = JSON.parse(readFileSync('src/console/generated/inputs.json', 'utf8'))
writeFileSync(
  'dist/THIRD-PARTY-NOTICES.txt',
  noticesOf([...new Set([...Object.keys(metafile.inputs), ...inConsole])]),
)

// TypeScript 7 writes the declarations of each file in a second; they are bundled like the code.
run('node_modules/typescript-7/bin/tsc', '-p', 'tsconfig.build.json')
// What runs in a browser is a program with other globals.
run(
  'node_modules/typescript-7/bin/tsc',
  '-p',
  'src/filter/element',
  '--noEmit',
  'false',
  '--emitDeclarationOnly',
)
const bundle = await rollup({
  input: Object.fromEntries(subpaths.map((path) => [path, `temp/types/${path}.d.ts`])),
  external: [/^node:/, ...external.flatMap((name) => [name, new RegExp(`^${name}/`)])],
  plugins: [dts()],
  onLog: (level, log, handle) => {
    // Internal parts of a service that its public types mention.
    if (!/still references private shared type exports/.test(log.message)) handle(level, log)
  },
})
await bundle.write({
  dir: 'dist',
  entryFileNames: '[name].d.ts',
  chunkFileNames: 'chunks/[name]-[hash].d.ts',
  minifyInternalExports: false,
})
await bundle.close()
// Editors lay comments and types out themselves: what is in front of a line would be 6 kB of the packed file.
for (const file of readdirSync('dist', { recursive: true }).filter((name) => name.endsWith('.d.ts')))
  writeFileSync(join('dist', file), readFileSync(join('dist', file), 'utf8').replace(/^ +/gm, ''))

/** Shortens the names in code that nobody reads, of packages and a generated parser: 12 kB of the packed file. */
function shortenNames({ onLoad }) {
  onLoad({ filter: /\/node_modules\/.*\.m?js$|\/hcl\/generated\// }, async ({ path }) => {
    const { code } = await transform(readFileSync(path, 'utf8'), {
      minifyIdentifiers: true,
      minifySyntax: true,
    })
    return { contents: code }
  })
}

/**
 * `prom-client` asks OpenTelemetry for the span to which it ascribes processor time. For this package that is an optional
 * peer, without which `plinth serve` must start.
 */
function withoutTraces({ onLoad, onResolve }) {
  onResolve({ filter: /^@opentelemetry\/api$/ }, ({ importer }) =>
    importer.includes('prom-client') ? { path: 'no-traces', namespace: 'no-traces' } : undefined,
  )
  onLoad({ filter: /./, namespace: 'no-traces' }, () => ({
    contents: 'exports.context = { active() {} }; exports.trace = { getSpan() {} }',
  }))
}

/**
 * Removes imports that bind no name. They would load modules for their side effects, and none has any (`sideEffects`):
 * each would be one more file to read.
 */
function withoutIdleImports(path) {
  const code = readFileSync(path, 'utf8')
  const [head = ''] = /^(?:#!.*\n)?(?:import\b[^;]*;\n?)*/.exec(code) ?? []
  writeFileSync(path, head.replace(/^import "\.{1,2}\/[^"]+";\n/gm, '') + code.slice(head.length))
}

/**
 * Removes the comments that esbuild keeps, 60 kB of the packed file: what callers read stands in the declarations, why
 * in the sources. `@__PURE__` and the line above each module that names its source stay.
 */
function withoutComments(path) {
  const code = readFileSync(path, 'utf8')
  const comments = new Map()
  const visit = (node) => {
    const around = [
      ...(ts.getLeadingCommentRanges(code, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(code, node.getEnd()) ?? []),
    ]
    for (const { pos, end } of around) comments.set(pos, end)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, code, ts.ScriptTarget.Latest))
  let rest = ''
  let from = 0
  for (const [pos, end] of [...comments].sort(([a], [b]) => a - b)) {
    if (/@__PURE__|^\/\/ (?:src|node_modules)\//.test(code.slice(pos, end))) continue
    const before = code.slice(from, pos)
    const ownLine = code[end] === '\n' && /(?:^|\n) *$/.test(before)
    rest += ownLine ? before.replace(/ *$/, '') : before
    from = ownLine ? end + 1 : end
  }
  writeFileSync(path, rest + code.slice(from))
}

/** The licences of the packages whose code is in the bundle. */
function noticesOf(inputs) {
  const packages = new Set(
    inputs.flatMap((path) => /^(node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  )
  const notices = [...packages].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${name} has no licence file`)
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  return `Plinth contains code of these packages.\n\n${notices.join(`\n${'-'.repeat(80)}\n\n`)}`
}
