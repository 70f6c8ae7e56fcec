import { createScheduler, type Scheduler, type SchedulerOptions } from '../../src/scheduler/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { type TestClock, testClock } from '../../src/testing/index.ts'
import { type Answer, ask } from '../client.ts'

/** What came back, as a test wants to look at it. */
export interface Got extends Omit<Answer, 'body'> {
  /** The body as JSON; a test that asks for it knows that it is. */
  readonly json: unknown
  readonly index: number
  readonly nextToken: string | null
}

export interface Harness {
  readonly scheduler: Scheduler
  readonly clock: TestClock
  readonly get: (path: string, init?: RequestInit) => Promise<Got>
  readonly send: (method: string, path: string, body?: unknown, init?: RequestInit) => Promise<Got>
  /** The IDs (or names) a list gives. */
  readonly ids: (path: string, init?: RequestInit) => Promise<string[]>
}

/** A scheduler of its own on a memory store, under a clock that stands still, asked over its fetch handler. */
export async function given(
  records: Record<string, unknown> = {},
  options: Partial<SchedulerOptions> = {},
): Promise<Harness> {
  const clock = testClock()
  const scheduler = createScheduler({
    store: memoryStore(),
    env: clock.env,
    timers: clock.timers,
    ...options,
  })
  if (Object.keys(records).length > 0) {
    const loaded = await scheduler.load(records)
    if (!loaded.ok) throw new Error(loaded.refusal.message)
  }
  const get = async (path: string, init: RequestInit = {}): Promise<Got> => {
    const { body, ...answer } = await ask(scheduler, `${init.method ?? 'GET'} ${path}`, init)
    return {
      ...answer,
      json: body,
      index: Number(answer.headers.get('X-Scheduler-Index')),
      nextToken: answer.headers.get('X-Scheduler-NextToken'),
    }
  }
  const send: Harness['send'] = (method, path, body, init = {}) =>
    get(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }), ...init })
  const ids: Harness['ids'] = async (path, init) => {
    const got = await get(path, init)
    if (got.status !== 200) throw new Error(`${got.status} ${got.text}`)
    return (got.json as { readonly ID?: string; readonly Name: string }[]).map(({ ID, Name }) => ID ?? Name)
  }
  return { scheduler, clock, get, send, ids }
}

/** A filter as a query parameter. */
export const filter = (expression: string): string => `filter=${encodeURIComponent(expression)}`
