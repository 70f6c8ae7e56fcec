// A filled server for the tests of a file, and a fork of it for each test.
import { startSecrets } from 'plinth/testing'
import { test as base, expect } from 'vitest'

const filled = await startSecrets({
  prepare: async (service) => void (await service.kv().write('app', { password: 'hunter2' })),
})
const test = base.extend({
  secrets: async ({}, use) => {
    const server = await filled.fork()
    await use(server)
    await server.close()
  },
})

test('reads its password', async ({ secrets: { url, token, requests } }) => {
  const answer = await fetch(`${url}/v1/secret/data/app`, { headers: { 'X-Vault-Token': token } })
  expect(answer.status).toBe(200)
  expect(requests).toHaveLength(1)
})
