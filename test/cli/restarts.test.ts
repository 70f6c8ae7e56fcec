import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { jobRecords } from '../../src/scheduler/records/collections.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { cleanUp, folder, start } from './server.ts'

afterAll(cleanUp)

it('periodic jobs are launched after a restart, and by a standby, although nobody sends a request', async () => {
  const file = join(folder(), 'plinth.sqlite')
  const flags = ['--only=scheduler', `--data=sqlite:${file}`]
  const first = await start(...flags)
  const Job = {
    ID: 'tick',
    Type: 'batch',
    Periodic: { Spec: '* * * * * * *' },
    TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }],
  }
  const written = await fetch(`${first.ready.scheduler.url}/v1/jobs`, {
    method: 'PUT',
    body: JSON.stringify({ Job }),
  })
  expect(written.status).toBe(200)
  // The records alone: a scheduler of this process would launch the job itself.
  const store = await sqliteStore(file, { realm: 'scheduler' })
  const count = () => store.read(async (now) => (await now.scan({ prefix: jobRecords.prefix })).length)
  const untilMore = async () => {
    const before = await count()
    while ((await count()) === before) await pause(20)
  }
  await untilMore()
  await first.stop('SIGKILL')
  const second = await start(...flags)
  await untilMore()
  const standby = await start(...flags)
  await second.stop('SIGKILL')
  await untilMore()
  expect(await standby.stop()).toBe(0)
  await store.close()
})
