import type { ClientRequest } from 'node:http'
import type { Timers } from '../../kernel/index.ts'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { explain, isPassing } from './errors.ts'
import { gateway } from './gateway.ts'
import type { EtcdOptions } from './options.ts'
import {
  type Compare,
  nested,
  type Op,
  type RangeRequest,
  type RangeResult,
  reads,
  resultsOf,
  type TxnResult,
} from './wire.ts'

/** A client of some members of a cluster. */
export interface EtcdClient {
  /** Asks one endpoint after the other until one answers, or `settleMs` have passed: for what may be repeated. */
  call<Result>(path: string, body: object): Promise<Result>
  /**
   * Writes if all comparisons hold; reads otherwise, and returns what it read. It is one attempt: after an error that
   * passes it may have been carried out.
   */
  write(
    compare: readonly Compare[],
    success: readonly Op[],
    failure?: readonly RangeRequest[],
  ): Promise<readonly RangeResult[] | undefined>
  /** All reads of one turn of the event loop share a request. */
  read(ranges: readonly RangeRequest[]): Promise<readonly RangeResult[]>
  /** Reads with a request of its own, which is repeated until `isOver`. */
  readAlone(ranges: readonly RangeRequest[], isOver: () => boolean): Promise<readonly RangeResult[]>
  /** Asks each endpoint. */
  each<Result>(path: string, body: object): Promise<readonly (readonly [string, Result | Error])[]>
  /** Calls `heard` when a key changes, until closed. `restart` asks another endpoint, as this one is cut off. */
  watch(key: string, heard: () => void): { restart(): void; close(): void }
  /** Whether `settleMs` have passed since this call. */
  deadline(): () => boolean
  /** The revision of etcd's newest answer. */
  newest(): bigint
  close(): void
}

interface Reading {
  readonly ranges: readonly RangeRequest[]
  readonly resolve: (results: readonly RangeResult[]) => void
  readonly reject: (error: unknown) => void
}

const rangesPerRequest = 1_000

export function etcdClient(
  endpoints: readonly URL[],
  options: Pick<EtcdOptions, 'user' | 'password' | 'tls' | 'requestMs' | 'settleMs'>,
  timers: Timers,
): EtcdClient {
  const { settleMs = 7_000 } = options
  const { ask, stream, newest, isClosed, close } = gateway(options, timers)
  let current = 0
  const endpoint = (at = current): URL => endpoints[at % endpoints.length] as URL

  const deadline = () => passed(settleMs)
  const once = async <Result>(path: string, body: object): Promise<Result> => {
    const to = endpoint()
    try {
      return await ask<Result>(to, path, body)
    } catch (error) {
      // Of calls that fail together, the first moves on.
      if (isPassing(error) && to === endpoint()) current += 1
      throw error
    }
  }
  const call = async <Result>(path: string, body: object, isOver = deadline()): Promise<Result> => {
    for (let attempt = 1; ; attempt += 1) {
      const { host } = endpoint()
      try {
        return await once<Result>(path, body)
      } catch (error) {
        if (isOver() || !isPassing(error)) throw explain(error, host)
        if (attempt % endpoints.length === 0) await pause(timers)
      }
    }
  }

  const readAlone = async (ranges: readonly RangeRequest[], isOver?: () => boolean) =>
    resultsOf(await call<TxnResult>('/v3/kv/txn', { success: nested(reads(ranges)) }, isOver))

  return {
    call,
    write: async (compare, success, failure = []) => {
      const body = { compare, success: nested(success), failure: nested(reads(failure)) }
      const result = await once<TxnResult>('/v3/kv/txn', body)
      return result.succeeded === true ? undefined : resultsOf(result)
    },
    read: readingTogether(readAlone),
    readAlone,
    each: <Result>(path: string, body: object) =>
      Promise.all(
        endpoints.map(async (to) => {
          const answer = ask<Result>(to, path, body).catch((error: unknown) => explain(error, to.host))
          return [to.host, await answer] as const
        }),
      ),
    watch: (key, heard) => {
      const ask = (at: number) =>
        stream(endpoint(at), '/v3/watch', { create_request: { key } }, (answer) => {
          answer.on('data', heard).on('error', () => {})
        })
      return watching({ ask, first: current, timers, isClosed })
    },
    deadline,
    newest,
    close,
  }
}

/** Tells whether so many milliseconds have passed since now. */
function passed(ms: number): () => boolean {
  const began = performance.now()
  return () => performance.now() - began >= ms
}

/** A watch, which is asked for at the next endpoint whenever it ends. */
function watching({
  ask,
  first,
  timers,
  isClosed,
}: {
  readonly ask: (at: number) => ClientRequest
  readonly first: number
  readonly timers: Timers
  readonly isClosed: () => boolean
}): ReturnType<EtcdClient['watch']> {
  let request: ClientRequest | undefined
  let isOver = false
  const start = (at: number) => {
    if (isOver || isClosed()) return
    request = ask(at)
    request.on('error', () => {})
    request.on('close', () => timers.after(100, () => start(at + 1)))
  }
  start(first)
  return {
    restart: () => request?.destroy(),
    close: () => {
      isOver = true
      request?.destroy()
    },
  }
}

/** Collects the reads of one turn of the event loop. */
function readingTogether(
  request: (ranges: readonly RangeRequest[]) => Promise<readonly RangeResult[]>,
): EtcdClient['read'] {
  let queue: Reading[] = []
  const send = async (together: readonly Reading[]) => {
    try {
      const results = await request(together.flatMap(({ ranges }) => ranges))
      let at = 0
      for (const { ranges, resolve } of together) {
        resolve(results.slice(at, at + ranges.length))
        at += ranges.length
      }
    } catch (error) {
      // A read of a revision that was compacted fails all.
      if (together.length > 1) for (const one of together) void send([one])
      else together[0]?.reject(error)
    }
  }
  const flush = async () => {
    await nextMacrotask()
    const groups: Reading[][] = [[]]
    let count = 0
    for (const one of queue) {
      count += one.ranges.length
      if (count > rangesPerRequest) {
        groups.push([])
        count = one.ranges.length
      }
      groups.at(-1)?.push(one)
    }
    queue = []
    for (const group of groups) if (group.length > 0) void send(group)
  }
  const readSome = (ranges: readonly RangeRequest[]) =>
    new Promise<readonly RangeResult[]>((resolve, reject) => {
      queue.push({ ranges, resolve, reject })
      if (queue.length === 1) void flush()
    })
  return async (ranges) => {
    const parts: Promise<readonly RangeResult[]>[] = []
    for (let at = 0; at < ranges.length; at += rangesPerRequest)
      parts.push(readSome(ranges.slice(at, at + rangesPerRequest)))
    return (await Promise.all(parts)).flat()
  }
}

/** Waits a moment before all endpoints are asked again. It keeps the process alive, as the call that waits does. */
export const pause = (timers: Timers): Promise<void> =>
  new Promise((resolve) => void timers.after(100, resolve, { hold: true }))
