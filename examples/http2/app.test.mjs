import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { rootToken, secrets, server } from './app.mjs'

test('secrets are listed with LIST', async () => {
  await secrets.kv().write('app', { password: 'hunter2' })
  const client = connect(`http://127.0.0.1:${server.address().port}`)
  const asked = client.request(
    { ':method': 'LIST', ':path': '/v1/secret/metadata', 'x-vault-token': rootToken },
    { endStream: true },
  )
  assert.deepEqual((await json(asked)).data, { keys: ['app'] })
  client.close()
  server.close()
  await secrets.close()
})
