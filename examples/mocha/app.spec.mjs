// A server for the tests of a file, reset before each.
import assert from 'node:assert/strict'
import { startSecrets } from 'plinth/testing'

const server = await startSecrets()
beforeEach(() => server.reset())
after(() => server.close())

it('is refused without a token', async () => {
  assert.equal((await fetch(`${server.url}/v1/secret/data/app`)).status, 403)
})
