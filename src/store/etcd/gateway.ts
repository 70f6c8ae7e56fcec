import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { parsedJson } from '../../kernel/decoded.ts'
import type { Timers } from '../../kernel/index.ts'
import { EtcdError, EtcdSilence, explain, isPassing, storeClosed, unauthenticated } from './errors.ts'
import type { EtcdOptions } from './options.ts'

/** Requests to one endpoint of the JSON gateway. */
export interface Gateway {
  /** One attempt. An error that passes is thrown as it is: the request may have been carried out. */
  ask<Result>(to: URL, path: string, body: object): Promise<Result>
  /** Opens a stream of answers, which keeps no process alive. */
  stream(to: URL, path: string, body: object, answered: (answer: IncomingMessage) => void): ClientRequest
  /** The revision of etcd's newest answer. */
  newest(): bigint
  isClosed(): boolean
  close(): void
}

interface Headed {
  readonly header?: { readonly revision?: string }
}

export function gateway(
  {
    user,
    password,
    tls = {},
    requestMs = 2_000,
  }: Pick<EtcdOptions, 'user' | 'password' | 'tls' | 'requestMs'>,
  timers: Timers,
): Gateway {
  const agents = {
    http: new HttpAgent({ keepAlive: true }),
    https: new HttpsAgent({ keepAlive: true, ...tls }),
  }
  let [token, newest, closed] = ['', 0n, false]

  const send = (to: URL, path: string, body: object, answered: (answer: IncomingMessage) => void) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: token }) }
    const [request, agent] =
      to.protocol === 'https:' ? [httpsRequest, agents.https] : [httpRequest, agents.http]
    return request(new URL(path, to), { method: 'POST', agent, headers }, answered).end(JSON.stringify(body))
  }
  const post = <Result>(to: URL, path: string, body: object) =>
    answerWithin(timers, requestMs, (answered) => send(to, path, body, answered)) as Promise<Result>
  const login = async (to: URL) => {
    const answer = await post<{ token?: string }>(to, '/v3/auth/authenticate', { name: user, password })
    token = answer.token ?? ''
  }

  return {
    ask: async <Result>(to: URL, path: string, body: object) => {
      if (closed) throw storeClosed()
      const seen = newest
      try {
        if (user !== undefined && token === '') await login(to)
        const answer = await post<Result & Headed>(to, path, body)
        const revision = BigInt(answer.header?.revision ?? 0)
        // A member that was restored from a copy.
        if (revision !== 0n && revision < seen)
          throw new EtcdSilence(
            `it answers from revision ${revision}, and ${seen} was seen before: restart after a restore`,
          )
        if (revision > newest) newest = revision
        return answer
      } catch (error) {
        if (error instanceof EtcdError && error.code === unauthenticated) token = ''
        if (closed) throw storeClosed()
        throw isPassing(error) ? error : explain(error, to.host)
      }
    },
    stream: (to, path, body, answered) =>
      send(to, path, body, answered).on('socket', (socket) => void socket.unref()),
    newest: () => newest,
    isClosed: () => closed,
    close: () => {
      closed = true
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** The result of a request, which may make no progress for so long. */
const answerWithin = (
  timers: Timers,
  requestMs: number,
  send: (answered: (answer: IncomingMessage) => void) => ClientRequest,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    let cancel = () => {}
    const silent = () => request.destroy(new EtcdSilence(`no answer within ${requestMs} ms`))
    const moved = () => {
      cancel()
      cancel = timers.after(requestMs, silent, { hold: true })
    }
    const fail = (error: unknown) => {
      cancel()
      reject(error)
    }
    const request = send((answer) => {
      const pieces: Buffer[] = []
      answer.on('error', fail)
      answer.on('data', (piece: Buffer) => {
        moved()
        pieces.push(piece)
      })
      answer.on('end', () => {
        cancel()
        try {
          resolve(resultIn(answer.statusCode, Buffer.concat(pieces).toString()))
        } catch (error) {
          reject(error)
        }
      })
    })
    request.on('error', fail)
    moved()
  })

/** The result in an answer, or its error. */
function resultIn(status: number | undefined, text: string): unknown {
  const answer = parsedJson(text)
  if (answer === undefined) throw new EtcdError(0, `HTTP ${status} without JSON: is it etcd 3.4 or later?`)
  if (status === 200 && typeof answer === 'object' && answer !== null) return answer
  const { code = 0, message = `HTTP ${status}: is it etcd 3.4 or later?` } = (answer ??
    {}) as Partial<EtcdError>
  throw new EtcdError(Number(code), String(message))
}
