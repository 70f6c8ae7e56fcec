import type { Timers } from '../../kernel/index.ts'
import type { RunnerAnswer, RunnerCall } from '../runners/call-model.ts'

/**
 * Calls for runners. A server cannot connect to a runner, so the runner fetches its calls with a request that waits, and
 * sends each answer with another one. They are in the memory of the server that the runner asks.
 */
export interface RunnerCalls {
  /** Asks the runner of a node; `undefined` if it does not answer in time, or the signal ends the wait. */
  readonly ask: (
    node: string,
    call: Omit<RunnerCall, 'ID'>,
    signal?: AbortSignal,
  ) => Promise<RunnerAnswer | undefined>
  /** The calls for a node; waits until there are some. */
  readonly next: (node: string, waitMs: number, signal?: AbortSignal) => Promise<readonly RunnerCall[]>
  /** Delivers an answer; without effect if nobody waits for it any more. */
  readonly answer: (node: string, id: string, answer: RunnerAnswer) => void
  readonly close: () => void
}

interface Asked {
  readonly node: string
  readonly call: RunnerCall
  readonly end: (answer?: RunnerAnswer) => void
}

/** How long a runner may take for its answer, beyond the wait that it was asked for. */
const patienceMs = 10_000

/** The maximum number of calls of a node that wait for an answer. */
const most = 1000

/** Creates the calls of one server. */
export function runnerCalls(timers: Timers, newId: () => string): RunnerCalls {
  const asked = new Map<string, Asked>()
  const due = new Map<string, RunnerCall[]>()
  const pollers = new Map<string, Set<() => void>>()
  let isClosed = false
  const wake = (node: string) => {
    for (const each of pollers.get(node) ?? []) each()
  }
  return {
    ask: (node, call, signal) =>
      new Promise((resolve) => {
        const count = [...asked.values()].reduce((sum, each) => sum + (each.node === node ? 1 : 0), 0)
        if (isClosed || signal?.aborted || count >= most) return resolve(undefined)
        const ID = newId()
        const whole = { ...call, ID }
        const end = (answer?: RunnerAnswer) => {
          cancel()
          signal?.removeEventListener('abort', gone)
          asked.delete(ID)
          const rest = (due.get(node) ?? []).filter((each) => each !== whole)
          if (rest.length > 0) due.set(node, rest)
          else due.delete(node)
          resolve(answer)
        }
        const gone = () => end()
        const cancel = timers.after(patienceMs + call.WaitMs, gone, { hold: true })
        signal?.addEventListener('abort', gone)
        asked.set(ID, { node, call: whole, end })
        due.set(node, [...(due.get(node) ?? []), whole])
        wake(node)
      }),
    next: (node, waitMs, signal) =>
      new Promise((resolve) => {
        const take = () => {
          cancel()
          signal?.removeEventListener('abort', take)
          const waiting = pollers.get(node)
          waiting?.delete(take)
          if (waiting?.size === 0) pollers.delete(node)
          if (signal?.aborted) return resolve([])
          const calls = due.get(node) ?? []
          due.delete(node)
          resolve(calls)
        }
        const cancel = timers.after(waitMs, take, { hold: true })
        if (isClosed || due.has(node) || signal?.aborted) return take()
        signal?.addEventListener('abort', take)
        pollers.set(node, (pollers.get(node) ?? new Set()).add(take))
      }),
    answer: (node, id, answer) => {
      const found = asked.get(id)
      if (found?.node === node) found.end(answer)
    },
    close: () => {
      isClosed = true
      for (const { end } of [...asked.values()]) end()
      for (const node of [...pollers.keys()]) wake(node)
    },
  }
}
