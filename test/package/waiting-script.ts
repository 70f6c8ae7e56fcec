import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { createGateway } from '../../src/gateway/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'
import { hub, memoryStore, replica } from '../../src/store/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { scriptedProvider } from '../../src/testing/index.ts'

/*
 * A plain script, in which nothing but what it waits for keeps the process alive: `waiting-script.ts CASE DIRECTORY`.
 * What it awaits must come, and with code 0, not with 13, which is Node's word for an await that nothing settles.
 */
const [name = '', directory = ''] = process.argv.slice(2)
const print = (line: string) => writeSync(1, `${line}\n`)
const nothingNew = { after: 0, prefixes: [''], waitMs: 300 }
const forLong = { ...nothingNew, waitMs: 600_000 }

const cases: Readonly<Record<string, () => Promise<void>>> = {
  'a blocking query': async () => {
    const scheduler = createScheduler({ store: memoryStore() })
    const answer = await scheduler.fetch(new Request('http://scheduler/v1/jobs?index=99&wait=300ms'))
    print(`answered ${answer.status}`)
  },
  'a blocking query on a followed store': async () => {
    const scheduler = createScheduler({ store: await sqliteStore(join(directory, 'a.sqlite')) })
    const answer = await scheduler.fetch(new Request('http://scheduler/v1/jobs?index=99&wait=300ms'))
    print(`answered ${answer.status}`)
  },
  'changes of a store in memory': async () => {
    print(`answered ${(await memoryStore().changes(nothingNew)).rev}`)
  },
  'changes of SQLite': async () => {
    print(`answered ${(await (await sqliteStore(join(directory, 'a.sqlite'))).changes(nothingNew)).rev}`)
  },
  'a commit of another process, at a hub': async () => {
    const polls = hub(await sqliteStore(join(directory, 'a.sqlite')))
    const moved = polls.changed(['key'], 0, new AbortController().signal)
    print('waiting')
    print(`answered ${await moved}`)
    polls.close()
  },
  'a revision that another process commits': async () => {
    const view = await replica(await sqliteStore(join(directory, 'a.sqlite')), [''])
    const there = view.reached(1)
    print('waiting')
    print(`answered ${(await there).rev}`)
  },
  'the grace of a gateway': async () => {
    print(`answered ${await createGateway().beginShutdown(300)}`)
  },
  'a push that is not answered at once': async () => {
    const users = { ada: { password: 'hunter2', factors: [{ type: 'push' as const, polls: 1 }] } }
    const { service: secrets } = await devSecrets({ idpProvider: scriptedProvider({ users }) })
    await secrets.idp().configure({ orgName: 'acme' })
    const login = await secrets.idp().login({ username: 'ada', password: 'hunter2' })
    print(`answered ${login.ok}`)
  },

  'services that are not closed': async () => {
    const scheduler = createScheduler({ store: await sqliteStore(join(directory, 'a.sqlite')), place: true })
    await scheduler.fetch(new Request('http://scheduler/v1/jobs'))
    createGateway({ worker: { dial: () => Promise.reject(new Error('down')) } })
    const watched = await replica(await sqliteStore(join(directory, 'a.sqlite')), [''])
    hub(watched)
    hub(await sqliteStore(join(directory, 'a.sqlite')))
    print('answered')
  },
  'waits that are given up': async () => {
    const scheduler = createScheduler({ store: memoryStore() })
    const gateway = createGateway()
    const store = await sqliteStore(join(directory, 'a.sqlite'))
    const memory = memoryStore()
    const view = await replica(store, [''])
    const waits = Promise.allSettled([
      scheduler.fetch(new Request('http://scheduler/v1/jobs?index=99&wait=10m')),
      gateway.beginShutdown(600_000),
      store.changes(forLong),
      memory.changes(forLong),
      view.reached(99),
      hub(store).changed(['key'], 0, new AbortController().signal),
    ])
    await view.fresh()
    await Promise.all([scheduler.close(), gateway.close(), store.close(), memory.close()])
    print(`answered ${(await waits).map(({ status }) => status[0]).join('')}`)
  },
}

await cases[name]?.()
