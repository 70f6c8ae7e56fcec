import { parsedJson } from '../../kernel/decoded.ts'
import type { Flags, FlagValues } from '../command/declaration.ts'
import { type AddressSources, serverAddress } from '../server-address.ts'
import { UserError } from '../user-error.ts'
import { formatFlag } from './flags.ts'
import { type Asked, type Method, sender } from './request.ts'

/** Flags of every command that talks to the scheduler. */
export const schedulerFlags = {
  address: { type: 'string', value: 'URL', about: 'address of the scheduler' },
  namespace: { type: 'string', value: 'NAME', about: 'namespace to work in' },
  region: { type: 'string', value: 'NAME', about: 'region to work in' },
  ...formatFlag,
  json: { type: 'boolean', about: 'the same as -format=json' },
  verbose: { type: 'boolean', about: 'print IDs in full' },
} as const satisfies Flags

export type SchedulerFlags = FlagValues<typeof schedulerFlags>

export const schedulerEnvironment = {
  SCHEDULER_ADDR: 'address of the scheduler, or NOMAD_ADDR (http://127.0.0.1:4646)',
  SCHEDULER_TOKEN: 'the token, or NOMAD_TOKEN',
  SCHEDULER_NAMESPACE: 'the namespace, or NOMAD_NAMESPACE',
  SCHEDULER_REGION: 'the region, or NOMAD_REGION',
} as const

/** An object in an answer of the scheduler. */
export type Row = Readonly<Record<string, unknown>>

/** Sends a request to the scheduler; a refusal is reported in the scheduler's own words. */
export interface Scheduler {
  readonly ask: (method: Method, path: string, what: string, more?: Asked) => Promise<unknown>
  readonly rows: (path: string, what: string, query?: Asked['query']) => Promise<readonly Row[]>
}

/** The address of the scheduler, by `-address` or the environment. */
export function schedulerAddress(given: string | undefined, env = process.env): string {
  const sources: AddressSources = {
    '--address': given,
    SCHEDULER_ADDR: env['SCHEDULER_ADDR'],
    NOMAD_ADDR: env['NOMAD_ADDR'],
  }
  return serverAddress(sources, { port: 4646, api: /\/v1$/ })
}

/** Connects to the scheduler named by `-address` or the environment. */
export function connectScheduler(flags: SchedulerFlags): Scheduler {
  const { env } = process
  const namespace = flags.namespace ?? env['SCHEDULER_NAMESPACE'] ?? env['NOMAD_NAMESPACE']
  const region = flags.region ?? env['SCHEDULER_REGION'] ?? env['NOMAD_REGION']
  const scope = { ...(namespace ? { namespace } : {}), ...(region ? { region } : {}) }
  const address = schedulerAddress(flags.address, env)
  const token = env['SCHEDULER_TOKEN'] ?? env['NOMAD_TOKEN']
  const send = sender(address, [{ header: 'X-Scheduler-Token', value: token, name: 'SCHEDULER_TOKEN' }], {})
  const ask: Scheduler['ask'] = async (method, path, what, more = {}) => {
    const { status, text, location } = await send(method, path, {
      ...more,
      query: { ...scope, ...more.query },
    })
    if (status >= 300 && status < 400)
      throw new UserError(`${what}: the service redirects to ${location ?? 'another address'} (${status})`)
    if (status >= 400) throw new UserError(`${what}: ${reasonOf(text, status)} (${status})`)
    const answer = text === '' ? {} : parsedJson(text)
    if (answer === undefined)
      throw new UserError(`${what}: the answer is not JSON; is this the address of a scheduler? (${status})`)
    return answer
  }
  return askingBy(ask)
}

/** The scheduler that a function asks. */
export const askingBy = (ask: Scheduler['ask']): Scheduler => ({
  ask,
  rows: async (path, what, query = {}) => {
    const answer = await ask('GET', path, what, { query })
    if (!Array.isArray(answer))
      throw new UserError(`${what}: the answer is not a list; is this the address of a scheduler?`)
    return answer
  },
})

/** The first line of a plain text, with the list that it announces; the HTML of another server is not repeated. */
function reasonOf(text: string, status: number): string {
  const [line = '', ...more] = text.trim().split('\n')
  if (line.startsWith('{')) return 'the answer is not that of a scheduler; is this the address of one?'
  if (line.endsWith(' occurred:'))
    return `${line} ${more.map((item) => item.replace(/^\s*\* /, '')).join('; ')}`
  if (line !== '' && !line.startsWith('<')) return line
  return status === 403 ? 'permission denied; is SCHEDULER_TOKEN set?' : 'the service refused'
}

/** An ID as tables show it. */
export const shortId = (id: unknown, verbose: boolean): string =>
  verbose ? String(id) : String(id).slice(0, 8)

/** The one row whose ID equals or begins with the given one. */
export async function oneByPrefix(
  scheduler: Scheduler,
  kind: 'node' | 'deployment' | 'allocation' | 'evaluation',
  given: string,
): Promise<string> {
  const found = await scheduler.rows(`${kind}s`, `looking up ${kind} ${given}`, { prefix: given })
  const ids = found.map(({ ID }) => String(ID))
  if (ids.includes(given)) return given
  const [id, ...others] = ids
  if (id === undefined) throw new UserError(`there is no ${kind} whose ID begins with ${given}`)
  if (others.length > 0)
    throw new UserError(`${ids.length} ${kind}s have an ID that begins with ${given}: use a longer prefix`)
  return id
}
