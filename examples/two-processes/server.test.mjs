import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'

const url = process.env.DATABASE_URL

/** Starts a process, and waits for its address. */
async function start() {
  const child = spawn(process.execPath, ['server.mjs', url], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [address] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, address }
}

test('what one process writes wakes a reader of the other', {
  skip: !url && 'set DATABASE_URL',
}, async () => {
  const [one, two] = await Promise.all([start(), start()])
  const first = await fetch(`${two.address}/v1/jobs`)
  assert.deepEqual(await first.json(), [])

  const waiting = fetch(`${two.address}/v1/jobs?index=${first.headers.get('x-scheduler-index')}&wait=5m`)
  const Job = {
    ID: 'web',
    TaskGroups: [{ Name: 'web', Count: 1, Tasks: [{ Name: 'web', Driver: 'docker' }] }],
  }
  const registered = await fetch(`${one.address}/v1/jobs`, { method: 'PUT', body: JSON.stringify({ Job }) })
  assert.equal(registered.status, 200)
  assert.deepEqual(
    (await (await waiting).json()).map(({ ID }) => ID),
    ['web'],
  )

  // One ends; the other goes on.
  one.child.kill('SIGTERM')
  await once(one.child, 'exit')
  assert.equal((await fetch(`${two.address}/v1/job/web`)).status, 200)
  two.child.kill('SIGTERM')
  await once(two.child, 'exit')
})
