// What importing a subpath of the built package costs beside its own bundle by esbuild, zod and immer external in both.
//   npm run build && npm run bench -- bench/import.ts [rounds] [subpath…]
// Every import is in a fresh process, in turn with the others; medians of the time from before `import` to after it.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { median, printTable, time } from './measure.ts'

const { exports, dependencies, peerDependencies }: typeof import('../package.json') = JSON.parse(
  readFileSync('package.json', 'utf8'),
)
const rounds = Number(process.argv[2] ?? 21)
const only: readonly string[] = process.argv.slice(3)
const folder = mkdtempSync(resolve('temp', 'import-'))

const timed = `const [url] = process.argv.slice(1)
const start = process.hrtime.bigint()
await import(url)
process.stdout.write(String(process.hrtime.bigint() - start))`

const nanoseconds = (file: string): number =>
  Number(
    execFileSync(process.execPath, ['--input-type=module', '--eval', timed, pathToFileURL(file).href], {
      encoding: 'utf8',
    }),
  )

const subpaths = Object.entries(exports).flatMap(([subpath, target]) =>
  typeof target === 'object' && (only.length === 0 || only.includes(subpath))
    ? [{ subpath, file: resolve(target.default) }]
    : [],
)

try {
  const compared = await Promise.all(
    subpaths.map(async ({ subpath, file }) => {
      const outfile = join(folder, `${subpath.slice(2).replaceAll('/', '-') || 'kernel'}.mjs`)
      await build({
        entryPoints: [file],
        outfile,
        bundle: true,
        format: 'esm',
        platform: 'node',
        target: 'node20',
        external: [...Object.keys(dependencies), ...Object.keys(peerDependencies)],
        logLevel: 'error',
      })
      return { name: `plinth${subpath.slice(1)}`, packed: file, bundled: outfile }
    }),
  )
  const times = compared.map(() => ({ packed: [] as number[], bundled: [] as number[] }))
  for (let round = 0; round < rounds; round += 1)
    for (const [index, { packed, bundled }] of compared.entries()) {
      // Which goes first alternates: what ran last has the warmer disk cache.
      for (const which of round % 2 === 0
        ? (['packed', 'bundled'] as const)
        : (['bundled', 'packed'] as const))
        times[index]?.[which].push(nanoseconds(which === 'packed' ? packed : bundled))
    }
  printTable([
    ['import', 'package', 'bundle', 'ratio'],
    ...compared.map(({ name }, index) => {
      const [packed, bundled] = [median(times[index]?.packed ?? []), median(times[index]?.bundled ?? [])]
      return [name, time(packed), time(bundled), (packed / bundled).toFixed(2)]
    }),
  ])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
