import { systemEnv } from '../../../../kernel/system-env.ts'
import { addressOf, Problem } from '../../data/call.ts'

/** The worker of a process, from its health endpoint. */
export interface Worker {
  readonly state: string
  readonly active_session_count: number
  readonly upstream_connection_state: string
  readonly session_connections?: Readonly<Record<string, number>>
}

/** One probe of the health endpoint; status 0 if it could not be reached. */
export interface Sample {
  readonly at: number
  readonly status: number
  readonly tookMs: number
  readonly worker: Worker | undefined
}

/** Reads the health of a gateway. A 503 during shutdown is a valid answer. */
export async function probe(signal: AbortSignal): Promise<Sample> {
  const began = performance.now()
  const response = await fetch(addressOf('gateway', '/health', { worker_info: 1 }), {
    signal,
    cache: 'no-store',
    credentials: 'omit',
  })
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  if (response.status !== 200 && response.status !== 503)
    throw new Problem(response.status, text.slice(0, 200) || response.statusText)
  return {
    at: systemEnv().now,
    status: response.status,
    tookMs: performance.now() - began,
    worker: isJson ? JSON.parse(text)?.worker_process_info : undefined,
  }
}

/** The result of a probe in one word. */
export const conditionOf = ({ status, worker }: Pick<Sample, 'status' | 'worker'>): string => {
  if (status === 0) return 'away'
  if (status === 503) return worker?.state === 'active' ? 'unhealthy' : 'shutting down'
  return worker?.state === 'shutdown' ? 'draining' : 'healthy'
}

/** A period with the same condition. */
export interface Stretch {
  readonly condition: string
  readonly from: number
  readonly to: number
}

/** The conditions one after the other, newest first. */
export function stretchesOf(samples: readonly Sample[]): readonly Stretch[] {
  const stretches: Stretch[] = []
  for (const sample of samples) {
    const condition = conditionOf(sample)
    const last = stretches[0]
    if (last?.condition === condition) stretches[0] = { ...last, to: sample.at }
    else {
      if (last) stretches[0] = { ...last, to: sample.at }
      stretches.unshift({ condition, from: sample.at, to: sample.at })
    }
  }
  return stretches
}
