import type { RunnerAllocation, RunnerAnswerInput, RunnerCall, RunnerReport } from '../../scheduler/index.ts'

/** An unsuccessful answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number

  constructor(status: number, text: string) {
    super(`${status} ${text}`)
    this.status = status
  }
}

/** The scheduler as the runner of one node sees it. */
export interface ClusterClient {
  /** Registers the node; returns its heartbeat TTL in milliseconds. */
  readonly register: (node: object) => Promise<number>
  readonly beat: () => Promise<void>
  readonly leave: () => Promise<void>
  /** The allocations of the node; waits for changes beyond an index. */
  readonly allocations: (
    index: number,
    signal: AbortSignal,
  ) => Promise<{ readonly index: number; readonly rows: readonly RunnerAllocation[] }>
  readonly report: (report: RunnerReport) => Promise<void>
  /** What the runner is asked; waits for it. */
  readonly calls: (signal: AbortSignal) => Promise<readonly RunnerCall[]>
  readonly answer: (call: RunnerCall, answer: RunnerAnswerInput) => Promise<void>
}

/** The timeout of a request that does not wait. */
const patienceMs = 10_000

/** How long the scheduler holds a waiting request. */
const waitSeconds = 30

/** The timeout of a request that waits. */
const waitingMs = waitSeconds * 1000 * 1.1 + patienceMs

/**
 * Creates the scheduler client of one node.
 *
 * @param secret - the node's secret, which is its token
 * @param token - registers a node that has no secret yet
 */
export function clusterClient(
  address: string,
  { node, secret, token }: { readonly node: string; readonly secret: string; readonly token: string },
): ClusterClient {
  const path = `/v1/runner/node/${encodeURIComponent(node)}`
  const ask = async (
    method: 'GET' | 'PUT',
    where: string,
    more: {
      readonly body?: object
      readonly as?: string
      readonly signal?: AbortSignal
      readonly patienceMs?: number
    } = {},
  ) => {
    const late = AbortSignal.timeout(more.patienceMs ?? patienceMs)
    const response = await fetch(`${address}${where}`, {
      method,
      headers: { 'X-Scheduler-Token': more.as ?? secret },
      redirect: 'manual',
      signal: more.signal === undefined ? late : AbortSignal.any([late, more.signal]),
      ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
    })
    const text = await response.text()
    if (response.status !== 200) throw new Refusal(response.status, text.slice(0, 300))
    return { headers: response.headers, text }
  }
  return {
    register: async (Node) => {
      const body = { Node, SecretID: secret }
      const once = (as: string) => ask('PUT', '/v1/runner/node', { body, as })
      // A registered node authenticates with its secret.
      const { text } = await once(secret).catch((error: unknown) => {
        if (error instanceof Refusal && error.status === 403 && token !== '') return once(token)
        throw error
      })
      const { HeartbeatTTLMs }: { readonly HeartbeatTTLMs: number } = JSON.parse(text)
      return HeartbeatTTLMs
    },
    beat: async () => void (await ask('PUT', `${path}/heartbeat`)),
    leave: async () => void (await ask('PUT', `${path}/leave`)),
    allocations: async (index, signal) => {
      const { headers, text } = await ask('GET', `${path}/allocations?index=${index}&wait=${waitSeconds}s`, {
        signal,
        patienceMs: waitingMs,
      })
      return { index: Number(headers.get('X-Scheduler-Index')), rows: JSON.parse(text) }
    },
    calls: async (signal) => {
      const { text } = await ask('GET', `${path}/calls?wait=${waitSeconds}s`, {
        signal,
        patienceMs: waitingMs,
      })
      return JSON.parse(text)
    },
    answer: async ({ ID }, body) =>
      void (await ask('PUT', `${path}/call/${encodeURIComponent(ID)}`, { body })),
    report: async (report) =>
      void (await ask('PUT', `${path}/allocations`, { body: { Allocations: [report] } })),
  }
}
