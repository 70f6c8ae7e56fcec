import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type Row as Endpoint, rows as endpoints } from '../../http/rows.ts'
import type { Asked } from '../client.ts'
import { counting, madeOnce, type Row } from '../row.ts'

const asked = ['health', 'versions', 'nodes', 'kv2-read', 'box']

const endpointOf = (name: string): Endpoint => {
  const endpoint = endpoints[name]
  if (endpoint === undefined) throw new Error(`there is no endpoint ${name}`)
  return endpoint
}

const inProcess = (name: string): Row => ({
  name: `http: fetch, ${name}`,
  clock: 'cpu',
  operations: 500,
  prepare: async ({ load }) => {
    const { ask, different, handler } = endpointOf(name)
    const fetch = await handler(load)
    return counting(500, async (n) => {
      const { path, headers = {} } = ask(n % different)
      const answer = await fetch(new Request(`http://localhost${path}`, { headers }))
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
      await answer.text()
      // Until the event loop turns, Node keeps every response alive.
      if (n % 20 === 19) await new Promise(setImmediate)
    })
  },
})

const client = madeOnce(async () => fork(new URL('../client.ts', import.meta.url)))

/** Measures the server alone: the client is a process of its own. */
const overSocket = (name: string): Row => ({
  name: `http: socket, ${name}`,
  clock: 'cpu',
  operations: 500,
  prepare: async ({ load }) => {
    const { port } = await (await load('./node')).serve({ fetch: await endpointOf(name).handler(load) })
    const ask: Asked = { name, port, requests: 500 }
    return async () => {
      const child = await client(undefined)
      child.send(ask)
      const [failure] = await once(child, 'message')
      if (failure !== '') throw new Error(failure)
    }
  },
})

export const http: readonly Row[] = [...asked.map(inProcess), ...asked.map(overSocket)]
