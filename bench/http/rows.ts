import type { FetchHandler } from '../../src/http/node/index.ts'
import type { Load } from '../compare/tree.ts'
import {
  auditedSecrets,
  catalog,
  gateway,
  kv2Path,
  placingScheduler,
  registry,
  scheduler,
  secret,
  secrets,
  systems,
  token,
  trivial,
  trivialJson,
} from './services.ts'

/** A request. */
export interface Ask {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** One row of the table: a service and the requests that it gets. */
export interface Row {
  readonly title: string
  /** The goal: requests per second over those of the bare server. */
  readonly aim?: number
  /** Whether Plinth should be at least as fast as fastify. */
  readonly besideFastify?: boolean
  readonly handler: (load: Load) => Promise<FetchHandler>
  readonly ask: (n: number) => Ask
  /** The number of distinct requests, after which they repeat. */
  readonly different: number
}

const nth = <Item>(items: readonly Item[], n: number): Item => {
  const item = items[n % items.length]
  if (item === undefined) throw new RangeError('the list is empty')
  return item
}

/** Registers a job. Names have one length, so that all requests do. */
const register = (n: number): Ask => {
  const id = `job-${String(n).padStart(8, '0')}`
  const group = '{"Name":"web","Tasks":[{"Name":"main","Driver":"exec"}]}'
  return {
    method: 'PUT',
    path: '/v1/jobs',
    body: `{"Job":{"ID":"${id}","Name":"${id}","TaskGroups":[${group}]}}`,
  }
}

/** The rows, by their names in `--only`. */
export const rows: Readonly<Record<string, Row>> = {
  trivial: {
    title: 'a handler that does nothing',
    handler: trivial,
    ask: () => ({ method: 'GET', path: '/' }),
    different: 1,
  },
  'trivial-json': {
    title: 'a handler that reads a JSON body',
    handler: trivialJson,
    ask: () => ({ method: 'POST', path: '/', body: secret }),
    different: 1,
  },
  health: {
    title: 'gateway: health',
    aim: 0.6,
    handler: gateway,
    ask: () => ({ method: 'GET', path: '/health' }),
    different: 1,
  },
  versions: {
    title: 'registry: 10 versions of a module',
    aim: 0.45,
    besideFastify: true,
    handler: registry,
    ask: (n) => ({ method: 'GET', path: `/v1/modules/team/${nth(systems, n)}/aws/versions` }),
    different: systems.length,
  },
  nodes: {
    title: 'scheduler: filtered page, 10 of 1,000 nodes',
    aim: 0.45,
    besideFastify: true,
    handler: scheduler,
    ask: (n) => {
      const filter = encodeURIComponent(`Datacenter == "dc${n}" and Status == "ready"`)
      return { method: 'GET', path: `/v1/nodes?filter=${filter}&per_page=10` }
    },
    different: 8,
  },
  'kv2-read': {
    title: 'secrets: kv2 read',
    aim: 0.35,
    besideFastify: true,
    handler: secrets,
    ask: (n) => ({ method: 'GET', path: kv2Path(n), headers: token }),
    different: systems.length,
  },
  'kv2-read-audited': {
    title: 'secrets: kv2 read, with an audit file',
    handler: auditedSecrets,
    ask: (n) => ({ method: 'GET', path: kv2Path(n), headers: token }),
    different: systems.length,
  },
  'lookup-self': {
    title: 'secrets: token lookup-self',
    aim: 0.35,
    besideFastify: true,
    handler: secrets,
    ask: () => ({ method: 'GET', path: '/v1/auth/token/lookup-self', headers: token }),
    different: 1,
  },
  box: {
    title: 'catalog: box of 3 versions',
    aim: 0.35,
    besideFastify: true,
    handler: catalog,
    ask: (n) => ({ method: 'GET', path: `/api/v2/box/ada/${nth(systems, n)}` }),
    different: systems.length,
  },
  'kv2-write': {
    title: 'secrets: kv2 write',
    aim: 0.22,
    handler: secrets,
    ask: (n) => ({ method: 'POST', path: kv2Path(n), headers: token, body: secret }),
    different: systems.length,
  },
  jobs: {
    title: 'scheduler: register distinct jobs',
    aim: 0.12,
    handler: scheduler,
    ask: register,
    different: Number.POSITIVE_INFINITY,
  },
  'jobs-placed': {
    title: 'scheduler: register distinct jobs, and place them',
    aim: 0.05,
    handler: placingScheduler,
    ask: register,
    different: Number.POSITIVE_INFINITY,
  },
}
