import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApp } from './app.mjs'

test('a secret is written and read through the app', async () => {
  const { app, rootToken, close } = await createApp()
  const call = (method, path, body) =>
    app.request(path, {
      method,
      headers: { 'X-Secrets-Token': rootToken },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })

  assert.equal(await (await call('GET', '/')).text(), 'my app')
  assert.equal((await call('GET', '/health')).status, 200)
  assert.equal((await call('POST', '/v1/secret/data/db', { data: { password: 'hunter2' } })).status, 200)
  const { data } = await (await call('GET', '/v1/secret/data/db')).json()
  assert.deepEqual(data.data, { password: 'hunter2' })
  const refused = await call('POST', '/v1/secret/data/db', { data: { password: 'x' }, options: { cas: 0 } })
  assert.equal(refused.status, 400)
  await close()
})
