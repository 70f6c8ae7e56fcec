// A server for each worker of Playwright, reset before each test.
import { test as base, expect } from '@playwright/test'
import { startSecrets } from 'plinth/testing'

const test = base.extend({
  secrets: [
    async ({}, use) => {
      const server = await startSecrets()
      await use(server)
      await server.close()
    },
    { scope: 'worker' },
  ],
})
test.beforeEach(({ secrets }) => secrets.reset())

test('is refused without a token', async ({ secrets, request }) => {
  expect((await request.get(`${secrets.url}/v1/secret/data/app`)).status()).toBe(403)
})
