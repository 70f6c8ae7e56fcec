import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // The `postgres` client forgets a promise of its own when a connection breaks while it is opened, which tests
    // that kill the server provoke (porsager/postgres issue 1192). Nothing else is passed over.
    onUnhandledError: (error) => !('query' in error && String(error['query']).includes('pg_catalog.pg_type')),
    coverage: { include: ['src/**'], exclude: ['src/**/generated/**'] },
  },
})
