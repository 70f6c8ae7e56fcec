import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { unwrap } from 'plinth'
import { createApp } from './app.mjs'

test('the services answer beside the routes of the app', async () => {
  const { app, catalog, registry, close } = createApp()
  const server = app.listen(0)
  await once(server, 'listening')
  const call = (path, init) => fetch(`http://127.0.0.1:${server.address().port}${path}`, init)

  unwrap(await catalog.putUser({ username: 'acme' }))
  const { token } = unwrap(await catalog.createToken('acme'))
  const created = await call('/boxes/api/v2/boxes', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ box: { username: 'acme', name: 'tiny', is_private: false } }),
  })
  assert.ok(created.ok, `creating a box answered ${created.status}`)
  const { tag } = await (await call('/boxes/api/v2/box/acme/tiny')).json()
  assert.equal(tag, 'acme/tiny')

  const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
  unwrap(await registry.publishModule(vpc))
  unwrap(await registry.publishVersion(vpc, { version: '1.0.0', source: 'https://example.com/vpc.zip' }))
  const { modules } = await (await call('/v1/modules')).json()
  assert.deepEqual(
    modules.map(({ id }) => id),
    ['acme/vpc/aws/1.0.0'],
  )

  const headers = { 'content-type': 'application/json' }
  const echoed = await call('/echo', { method: 'POST', headers, body: '{"own":true}' })
  assert.deepEqual(await echoed.json(), { own: true })

  server.close()
  await close()
})
