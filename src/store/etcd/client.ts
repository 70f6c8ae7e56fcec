import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Timers } from '../../kernel/index.ts'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { StoreError } from '../port/errors.ts'
import { EtcdError, EtcdSilence, explain, isPassing, unauthenticated } from './errors.ts'
import type { EtcdOptions } from './options.ts'
import {
  type Compare,
  nested,
  type Op,
  type RangeRequest,
  type RangeResult,
  resultsOf,
  type TxnResult,
} from './wire.ts'

/** A client of etcd's JSON gateway. */
export interface EtcdClient {
  /** One request to one endpoint after the other, until one answers or the time is over; for what may be repeated. */
  call<Result>(path: string, body: object): Promise<Result>
  /** One attempt: an error that passes may mean that the request was carried out. */
  once<Result>(path: string, body: object): Promise<Result>
  /** Writes if all comparisons hold; reads otherwise, and returns what it read. One attempt. */
  write(
    compare: readonly Compare[],
    success: readonly Op[],
    failure?: readonly RangeRequest[],
  ): Promise<readonly RangeResult[] | undefined>
  /** Reads; all reads of one turn of the event loop share a request. */
  read(ranges: readonly RangeRequest[]): Promise<readonly RangeResult[]>
  /** Asks each endpoint. */
  each<Result>(
    path: string,
    body: object,
  ): Promise<readonly (readonly [endpoint: string, answer: Result | Error])[]>
  /** Calls `heard` when a key changes, until closed. `restart` asks another endpoint, if this one has missed a change. */
  watch(key: string, heard: () => void): { restart(): void; close(): void }
  /** The revision of etcd's newest answer. */
  revision(): bigint
  close(): void
}

interface Headed {
  readonly header?: { readonly revision?: string }
}

interface Reading {
  readonly ranges: readonly RangeRequest[]
  readonly resolve: (results: readonly RangeResult[]) => void
  readonly reject: (error: unknown) => void
}

/** Reads of one turn in one transaction. */
const rangesPerRequest = 2_000

export function etcdClient(
  endpoints: readonly URL[],
  { user, password, tls = {} }: Pick<EtcdOptions, 'user' | 'password' | 'tls'>,
  {
    timers,
    requestMs,
    settleMs,
  }: { readonly timers: Timers; readonly requestMs: number; readonly settleMs: number },
): EtcdClient {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true, ...tls }),
  }
  let [current, token, newest, closed] = [0, '', 0n, false]
  let reading: Reading[] = []
  const endpoint = (): URL => endpoints[current % endpoints.length] as URL

  const open = (
    to: URL,
    path: string,
    body: object,
    answered: (answer: IncomingMessage) => void,
  ): ClientRequest => {
    const isTls = to.protocol === 'https:'
    const request = (isTls ? httpsRequest : httpRequest)(
      new URL(path, to),
      {
        method: 'POST',
        agent: agents[isTls ? 'https:' : 'http:'],
        headers: { 'content-type': 'application/json', ...(token && { authorization: token }) },
      },
      answered,
    )
    request.end(JSON.stringify(body))
    return request
  }

  const post = <Result>(to: URL, path: string, body: object): Promise<Result> =>
    new Promise((resolve, reject) => {
      let cancel = () => {}
      const moved = () => {
        cancel()
        cancel = timers.after(
          requestMs,
          () => request.destroy(new EtcdSilence(`no answer within ${requestMs} ms`)),
          { hold: true },
        )
      }
      const fail = (error: unknown) => {
        cancel()
        reject(error)
      }
      const request = open(to, path, body, (answer) => {
        const pieces: Buffer[] = []
        answer.on('error', fail)
        answer.on('data', (piece: Buffer) => {
          moved()
          pieces.push(piece)
        })
        answer.on('end', () => {
          cancel()
          try {
            resolve(parsed<Result>(answer.statusCode, Buffer.concat(pieces).toString()))
          } catch (error) {
            reject(error)
          }
        })
      })
      request.on('error', fail)
      moved()
    })

  const once = async <Result>(path: string, body: object, to = endpoint()): Promise<Result> => {
    if (closed) throw isClosed()
    const seen = newest
    try {
      if (user !== undefined && token === '')
        token =
          (await post<{ token?: string }>(to, '/v3/auth/authenticate', { name: user, password })).token ?? ''
      const answer = await post<Result & Headed>(to, path, body)
      const revision = BigInt(answer.header?.revision ?? 0)
      // A member that was restored from a copy, or is of another cluster.
      if (revision !== 0n && revision < seen)
        throw new EtcdSilence(
          `it answers from revision ${revision}, and ${seen} was seen before: restart after a restore`,
        )
      if (revision > newest) newest = revision
      return answer
    } catch (error) {
      if (error instanceof EtcdError && error.code === unauthenticated) token = ''
      if (!isPassing(error)) throw explain(error, to.host)
      // Of calls that fail together, the first moves on.
      if (to === endpoint()) current += 1
      throw error
    }
  }

  const call = async <Result>(path: string, body: object): Promise<Result> => {
    const isOver = overAfter(settleMs)
    for (let attempt = 1; ; attempt += 1) {
      const to = endpoint()
      try {
        return await once(path, body, to)
      } catch (error) {
        if (closed) throw isClosed()
        if (isOver() || !isPassing(error)) throw explain(error, to.host)
        if (attempt % endpoints.length === 0) await pause(timers)
      }
    }
  }

  const readAll = async (ranges: readonly RangeRequest[]) =>
    resultsOf(
      await call<TxnResult>('/v3/kv/txn', {
        success: nested(ranges.map((range) => ({ request_range: range }))),
      }),
    )
  const readTogether = async (together: readonly Reading[]) => {
    try {
      const results = await readAll(together.flatMap(({ ranges }) => ranges))
      let at = 0
      for (const { ranges, resolve } of together) {
        resolve(results.slice(at, at + ranges.length))
        at += ranges.length
      }
    } catch (error) {
      const [first] = together
      // One read of a compacted revision fails all.
      if (together.length === 1 || !(error instanceof StoreError && error.code === 'compacted'))
        for (const { reject } of together) reject(error)
      else if (first !== undefined) for (const one of together) void readTogether([one])
    }
  }
  const flush = async () => {
    await nextMacrotask()
    const all = reading
    reading = []
    let [together, count]: [Reading[], number] = [[], 0]
    for (const one of all) {
      if (count > 0 && count + one.ranges.length > rangesPerRequest) {
        void readTogether(together)
        ;[together, count] = [[], 0]
      }
      together.push(one)
      count += one.ranges.length
    }
    void readTogether(together)
  }

  return {
    call,
    once,
    write: async (compare, success, failure = []) => {
      const result = await once<TxnResult>('/v3/kv/txn', {
        compare,
        success: nested(success),
        failure: nested(failure.map((range) => ({ request_range: range }))),
      })
      return result.succeeded === true ? undefined : resultsOf(result)
    },
    read: (ranges) =>
      new Promise((resolve, reject) => {
        if (ranges.length === 0) return resolve([])
        reading.push({ ranges, resolve, reject })
        if (reading.length === 1) void flush()
      }),
    each: <Result>(path: string, body: object) =>
      Promise.all(
        endpoints.map(async (to) => {
          const answer = await once<Result>(path, body, to).catch((error: unknown) => explain(error, to.host))
          return [to.host, answer] as const
        }),
      ),
    watch: (key, heard) => {
      let [ended, at] = [false, current]
      let request: ClientRequest | undefined
      const start = () => {
        if (ended) return
        let isOver = false
        const again = () => {
          if (isOver) return
          isOver = true
          at += 1
          timers.after(100, start)
        }
        request = open(
          endpoints[at % endpoints.length] as URL,
          '/v3/watch',
          { create_request: { key } },
          (answer) => {
            answer.on('data', heard)
            answer.on('error', again)
            answer.on('close', again)
          },
        )
        request.on('socket', (socket) => socket.unref())
        request.on('error', again)
      }
      start()
      return {
        restart: () => request?.destroy(),
        close: () => {
          ended = true
          request?.destroy()
        },
      }
    },
    revision: () => newest,
    close: () => {
      closed = true
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

export const isClosed = (): StoreError => new StoreError('closed', 'the store was closed')

/** An answer, or the error in it. */
function parsed<Result>(status: number | undefined, text: string): Result {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw new EtcdError(0, `HTTP ${status} without JSON: is it etcd 3.4 or later?`)
  }
  if (status === 200 && typeof answer === 'object' && answer !== null) return answer as Result
  const { code = 0, message = `HTTP ${status}: is it etcd 3.4 or later?` } = (answer ??
    {}) as Partial<EtcdError>
  throw new EtcdError(Number(code), String(message))
}

/** Whether some time has passed since the call. */
export function overAfter(ms: number): () => boolean {
  const began = performance.now()
  return () => performance.now() - began >= ms
}

/** Waits a moment before all endpoints are asked again. It keeps the process alive, as the call that waits does. */
export const pause = (timers: Timers): Promise<void> =>
  new Promise((resolve) => void timers.after(100, resolve, { hold: true }))
