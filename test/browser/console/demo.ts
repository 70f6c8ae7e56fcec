import { killAll, type Server, start } from '../../cli/server.ts'
import { consoleUnderTest } from './under-test.ts'

/** The console of a server with sample data. */
export function demoConsole(...flags: readonly string[]) {
  let server: Server | undefined
  const under = consoleUnderTest(async () => {
    server = await start('--demo', '--root-token', 'root', ...flags)
    return { url: server.ready.console.url, close: async () => killAll() }
  })
  const ready = () => {
    if (!server) throw new Error('the server has not started yet')
    return server.ready
  }
  return Object.assign(under, {
    ready,
    /** Asks the scheduler itself. */
    scheduler: async <Body>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'PUT') => {
      const answer = await fetch(ready().scheduler.url + path, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as Body
    },
    /** Asks the secrets service itself, with the root token. */
    secrets: async <Body>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
      const answer = await fetch(`${ready().secrets.url}/v1/${path}`, {
        method,
        headers: { 'X-Secrets-Token': 'root' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      const text = await answer.text()
      return (text === '' ? undefined : JSON.parse(text)) as Body
    },
  })
}

/** A job of one group with one task. */
export const aJob = (ID: string, group: object = {}, job: object = {}) => ({
  Job: {
    ID,
    Name: ID,
    ...job,
    TaskGroups: [{ Name: 'web', Count: 1, Tasks: [{ Name: 'main', Driver: 'exec' }], ...group }],
  },
})
