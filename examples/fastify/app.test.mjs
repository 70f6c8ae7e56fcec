import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApp } from './app.mjs'

test('a job is registered over HTTP, found by a filter, and waited for', async () => {
  const { app } = createApp()
  const base = await app.listen({ port: 0 })
  const call = (path, init) => fetch(base + path, init)

  const Job = {
    ID: 'web',
    Type: 'service',
    TaskGroups: [{ Name: 'web', Count: 1, Tasks: [{ Name: 'web', Driver: 'docker' }] }],
  }
  const registered = await call('/v1/jobs', { method: 'PUT', body: JSON.stringify({ Job }) })
  assert.equal(registered.status, 200, await registered.clone().text())

  const found = await call(`/v1/jobs?filter=${encodeURIComponent('ID == "web" and Type == "service"')}`)
  assert.deepEqual(
    (await found.json()).map(({ ID }) => ID),
    ['web'],
  )

  const index = found.headers.get('x-scheduler-index')
  const waiting = call(`/v1/jobs?index=${index}&wait=60s`)
  await call('/v1/jobs', { method: 'PUT', body: JSON.stringify({ Job: { ...Job, ID: 'api' } }) })
  assert.deepEqual((await (await waiting).json()).map(({ ID }) => ID).sort(), ['api', 'web'])

  await app.close()
})
