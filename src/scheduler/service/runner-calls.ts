import type { Timers } from '../../kernel/index.ts'
import type { RunnerAnswer, RunnerCall } from '../runners/call-model.ts'

/**
 * Calls for runners. A server cannot connect to a runner, so the runner fetches its calls with a request that waits, and
 * sends each answer with another one. They are in the memory of the server that the runner asks.
 */
export interface RunnerCalls {
  /**
   * Asks the runner of a node; `undefined` if it does not answer in time, or the signal ends the wait. Callers that follow
   * an output from the same place share one call: a runner does not learn that a caller has gone, so hundreds of
   * followers would keep it busy for as long as each of them waited.
   */
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
  readonly question: string
  /** Those who wait for the answer. */
  readonly callers: Set<(answer?: RunnerAnswer) => void>
  readonly cancel: () => void
}

/** How long a runner may take for its answer, beyond the wait that it was asked for. */
const patienceMs = 10_000

/** The maximum number of calls of a node that wait for an answer. */
const most = 1000

/** Whether a call waits for what follows a part: all who follow an output from there get the same answer. */
const isShared = ({ WaitMs, File }: Omit<RunnerCall, 'ID'>): boolean => WaitMs > 0 && File !== null

/** Creates the calls of one server. */
export function runnerCalls(timers: Timers, newId: () => string): RunnerCalls {
  const asked = new Map<string, Asked>()
  const shared = new Map<string, Asked>()
  const polls = callPolls(timers)
  let isClosed = false
  const end = (ended: Asked, answer?: RunnerAnswer) => {
    ended.cancel()
    asked.delete(ended.call.ID)
    if (shared.get(ended.question) === ended) shared.delete(ended.question)
    polls.withdraw(ended.node, ended.call)
    for (const caller of ended.callers) caller(answer)
  }
  const begin = (node: string, call: RunnerCall, question: string): Asked | undefined => {
    const count = [...asked.values()].reduce((sum, each) => sum + (each.node === node ? 1 : 0), 0)
    if (count >= most) return undefined
    const cancel = timers.after(patienceMs + call.WaitMs, () => end(begun), { hold: true })
    const begun: Asked = { node, call, question, callers: new Set(), cancel }
    asked.set(call.ID, begun)
    if (isShared(call)) shared.set(question, begun)
    polls.add(node, call)
    return begun
  }
  return {
    ask: (node, call, signal) =>
      new Promise((resolve) => {
        if (isClosed || signal?.aborted) return resolve(undefined)
        const question = JSON.stringify([node, call])
        const joined = shared.get(question) ?? begin(node, { ...call, ID: newId() }, question)
        if (joined === undefined) return resolve(undefined)
        const caller = (answer?: RunnerAnswer) => {
          signal?.removeEventListener('abort', gone)
          resolve(answer)
        }
        const gone = () => {
          joined.callers.delete(caller)
          caller()
          if (joined.callers.size === 0) end(joined)
        }
        signal?.addEventListener('abort', gone)
        joined.callers.add(caller)
      }),
    next: polls.next,
    answer: (node, id, answer) => {
      const found = asked.get(id)
      if (found?.node === node) end(found, answer)
    },
    close: () => {
      isClosed = true
      for (const each of [...asked.values()]) end(each)
      polls.close()
    },
  }
}

/** The calls that runners have not fetched yet, and the requests that wait for them. */
function callPolls(timers: Timers) {
  const due = new Map<string, RunnerCall[]>()
  const pollers = new Map<string, Set<() => void>>()
  let isClosed = false
  const wake = (node: string) => {
    for (const each of pollers.get(node) ?? []) each()
  }
  return {
    add: (node: string, call: RunnerCall): void => {
      due.set(node, [...(due.get(node) ?? []), call])
      wake(node)
    },
    withdraw: (node: string, call: RunnerCall): void => {
      const rest = (due.get(node) ?? []).filter((each) => each !== call)
      if (rest.length > 0) due.set(node, rest)
      else due.delete(node)
    },
    next: (node: string, waitMs: number, signal?: AbortSignal): Promise<readonly RunnerCall[]> =>
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
    close: (): void => {
      isClosed = true
      for (const node of [...pollers.keys()]) wake(node)
    },
  }
}
