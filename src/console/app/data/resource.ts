import { type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Problem } from './call.ts'
import { tokens } from './tokens.ts'

/** The state of a view: data, an error, or both while a service is temporarily unreachable. */
export interface Loaded<Value> {
  readonly value: Value | undefined
  readonly problem: Problem | undefined
  readonly isLoading: boolean
}

export interface Resource<Value> {
  readonly state: ReadonlySignal<Loaded<Value>>
  /** Reads again immediately. */
  readonly reload: () => void
}

/** One answer, and how to request the next one; without that, the data is read once. */
export interface Reading<Value> {
  readonly value: Value
  /** The index after which a blocking query waits for changes. */
  readonly index?: number | undefined
  /** The polling interval, for a service without blocking queries. */
  readonly againMs?: number | undefined
}

export type Read<Value> = (asked: {
  readonly index: number | undefined
  readonly signal: AbortSignal
}) => Promise<Reading<Value>>

const longestPauseMs = 15_000
/** Changes that follow each other faster are read together. */
const shortestGapMs = 200

/**
 * Reads while the component is shown, again when a token or one of `inputs` changes. A reading with an index is
 * followed by a blocking query for what comes after it. A service that is away is asked again, at growing intervals.
 */
export function useResource<Value>(read: Read<Value>, inputs: readonly unknown[]): Resource<Value> {
  const held = useMemo(() => {
    const state = signal<Loaded<Value>>({ value: undefined, problem: undefined, isLoading: true })
    return { state, wake: () => {} }
  }, [])
  useEffect(() => {
    const { state } = held
    let gone = new AbortController()
    let [stopped, generation] = [false, 0]
    const follow = async (own: number, { signal: aborted }: AbortController) => {
      let index: number | undefined
      let failures = 0
      const isOver = () => stopped || own !== generation
      while (!isOver()) {
        const began = performance.now()
        let pauseMs = 0
        try {
          const reading = await read({ index, signal: aborted })
          if (isOver()) return
          failures = 0
          state.value = { value: reading.value, problem: undefined, isLoading: false }
          const next = reading.index
          if (next === undefined && reading.againMs === undefined) return
          index = follows(next, index) ? next : undefined
          pauseMs = reading.againMs ?? began + shortestGapMs - performance.now()
        } catch (error) {
          if (isOver()) return
          const problem = problemIn(error)
          const value = problem.status === 404 ? undefined : state.value.value
          state.value = { value, problem, isLoading: false }
          index = undefined
          if (isFinal(problem)) return
          failures += 1
          pauseMs = problem.retryAfterMs ?? Math.min(longestPauseMs, 500 * 2 ** failures)
        }
        if (pauseMs > 0) await pause(pauseMs, aborted)
      }
    }
    const end = () => {
      generation += 1
      gone.abort()
    }
    const start = () => {
      end()
      gone = new AbortController()
      void follow(generation, gone)
    }
    // A hidden page must not use one of the browser's few connections per host.
    const onVisibility = () => (document.hidden ? end() : start())
    document.addEventListener('visibilitychange', onVisibility)
    held.wake = start
    const forget = tokens.subscribe(start)
    return () => {
      stopped = true
      document.removeEventListener('visibilitychange', onVisibility)
      forget()
      end()
    }
  }, inputs)
  return { state: held.state, reload: () => held.wake() }
}

const problemIn = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem(0, String(error))

/** Whether an index comes after another one: a lower one means that the service has restarted with other data. */
const follows = (next: number | undefined, index: number | undefined): boolean =>
  index === undefined || next === undefined || next >= index

/** A refusal that is permanent until the user does something. */
const isFinal = ({ status }: Problem): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429

/** Waits for some time, or until aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
