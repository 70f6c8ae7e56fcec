import { defineConfig } from 'vitest/config'
import { skippedTests } from './test/skipped-tests.ts'
import { worldFiles } from './test/world.ts'

const filesIn = (...rooms: readonly string[]) => rooms.map((room) => `test/${room}/**/*.test.ts`)

/** What measures its own process or replaces modules has one for each file. The rest shares one for each core. */
const alone = filesIn('house', 'http/node', 'package', 'store')
/** What waits for other processes: `plinth`, clients, the compiler, benchmarks. */
const processes = filesIn('bench', 'cli', 'docs', 'interop')
/** What needs more than Node is `npm run test:world`, wherever it stands. */
const world = worldFiles()
const isAlone = (file: string) => /^test\/(?:house|http\/node|package|store)\//.test(file)
/** What takes long even so: large comparisons, real servers, other processes. */
const long = [
  'filter/evaluating/evaluators',
  'scheduler/{invariants,soak}',
  'secrets/service/{invariants,long-life,core/own-realm}',
].map((file) => `test/${file}.test.ts`)

/** No limit that a slow or busy machine meets: it ends what hangs. */
const hangs = (process.env['PLINTH_PROPERTY_RUNS'] === undefined ? 10 : 240) * 60_000

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: alone, exclude: [...world], isolate: true },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: processes,
          exclude: [...world],
          isolate: false,
          globalSetup: ['test/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...processes, ...long, ...world],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'long', include: long, exclude: [...world], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'world',
          include: world.filter((file) => !isAlone(file)),
          isolate: false,
          globalSetup: ['test/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'world-alone', include: world.filter(isAlone), isolate: true },
      },
    ],
    // Each source is transformed once for all projects, and once for all runs in which it is the same.
    experimental: { fsModuleCache: true },
    maxWorkers: '100%',
    setupFiles: ['test/setup.ts'],
    reporters: ['default', skippedTests],
    testTimeout: hangs,
    hookTimeout: hangs,
    teardownTimeout: hangs,
    expect: { poll: { timeout: hangs / 2 } },
    // The `postgres` client forgets a promise of its own when a connection breaks while it is opened, which tests
    // that kill the server provoke (porsager/postgres issue 1192). Nothing else is passed over.
    onUnhandledError: (error) => !('query' in error && String(error['query']).includes('pg_catalog.pg_type')),
    coverage: { include: ['src/**'], exclude: ['src/**/generated/**'] },
  },
})
