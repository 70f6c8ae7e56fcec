// A server for the tests of a file, reset before each; `env` is what a program under test reads.
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { startSecrets } from 'plinth/testing'

const server = await startSecrets({
  prepare: async (service) => void (await service.kv().write('app', { password: 'hunter2' })),
})
beforeEach(() => server.reset())
after(() => server.close())

test('reads its password, and tries again after a failure', async () => {
  const { VAULT_ADDR, VAULT_TOKEN } = server.env
  const read = () => fetch(`${VAULT_ADDR}/v1/secret/data/app`, { headers: { 'X-Vault-Token': VAULT_TOKEN } })
  server.fail({ path: /app$/, status: 502, times: 1 })
  assert.equal((await read()).status, 502)
  const { data } = await (await read()).json()
  assert.deepEqual(data.data, { password: 'hunter2' })
  assert.deepEqual(
    server.requests.map(({ status }) => status),
    [502, 200],
  )
})
