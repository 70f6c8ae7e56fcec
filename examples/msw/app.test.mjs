// A service at the address of the real one, without a port.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { startSecrets } from 'plinth/testing'

/** The handlers of a service at an address. */
const handlers = (origin, service) => [http.all(`${origin}/*`, ({ request }) => service.fetch(request))]

test('the service answers under the address of the real one', async () => {
  const server = await startSecrets({
    prepare: async (service) => void (await service.kv().write('app', { password: 'hunter2' })),
  })
  const network = setupServer(...handlers('https://vault.example.com', server))
  network.listen()
  const headers = { 'X-Vault-Token': server.token }
  const listed = await fetch('https://vault.example.com/v1/secret/metadata', { method: 'LIST', headers })
  assert.deepEqual((await listed.json()).data, { keys: ['app'] })
  network.close()
  await server.close()
})
