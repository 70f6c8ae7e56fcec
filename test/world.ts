import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Helpers of tests that run other programs, browsers, database servers, several processes, or processes that are killed. */
const outside = [
  'programs.ts',
  'cli/runner-cluster.ts',
  'store/postgres-server.ts',
  'store/bundled.ts',
  'store/processes.ts',
  'store/s3/s3-server.ts',
].map((file) => resolve('test', file))
/** Kills a process, packs with npm, or has the compiler read the whole project. */
const isOutside = /SIGKILL|dies-at\.mjs|'npm',|createProgram|packageExports/
const imports = /from '(\.[^']+\.ts)'/g

const needs = new Map<string, boolean>()

/** Whether a file of `test/`, or a helper that it imports, is one of those. */
function needsOutside(file: string): boolean {
  const known = needs.get(file)
  if (known !== undefined) return known
  needs.set(file, false)
  const found =
    outside.includes(file) ||
    [...readFileSync(file, 'utf8').matchAll(imports)]
      .map(([, path = '']) => resolve(file, '..', path))
      .some((path) => path.startsWith(resolve('test')) && existsSync(path) && needsOutside(path))
  needs.set(file, found)
  return found
}

/** The test files of the projects `world`: those that need more than Node, by what they import. */
export const worldFiles = (): readonly string[] =>
  readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => needsOutside(resolve(name)) || isOutside.test(readFileSync(name, 'utf8')))
    .sort()
