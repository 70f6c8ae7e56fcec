import { type Connection, connection } from './connection.ts'
import type { Ask, Row } from './rows.ts'

/** A client with keep-alive connections and one request in flight on each. */
export interface Client {
  /** Sends requests for `ms` milliseconds, or `requests` of them; rejects on a status other than 2xx. */
  readonly run: (until: { readonly ms?: number; readonly requests?: number }) => Promise<Run>
  readonly close: () => void
}

/** The result of one run. */
export interface Run {
  readonly requests: number
  readonly seconds: number
}

/** Writes a request as HTTP/1.1. */
const messageOf = ({ method, path, headers, body }: Ask): string => {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  if (body === undefined) return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
  const about = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}${about}\r\n${body}`
}

/** Returns requests by number; those that repeat are written once. */
const messagesOf = ({ ask, different }: Pick<Row, 'ask' | 'different'>): ((n: number) => string) => {
  if (different === Number.POSITIVE_INFINITY) return (n) => messageOf(ask(n))
  const messages = Array.from({ length: different }, (_, n) => messageOf(ask(n)))
  return (n) => messages[n % different] ?? ''
}

/** Connects to a server, to send it the requests of one row from number `from` on. */
export async function connectTo(
  port: number,
  asks: Pick<Row, 'ask' | 'different'>,
  { connections = 16, from = 0 } = {},
): Promise<Client> {
  const messages = messagesOf(asks)
  let next = from
  let broken: Error | undefined
  let rejectRun = (_error: Error): void => {}
  const fail = (error: Error): void => {
    broken ??= error
    rejectRun(broken)
  }
  const open = await Promise.all(Array.from({ length: connections }, () => connection(port, fail)))
  return {
    run: ({ ms = Number.POSITIVE_INFINITY, requests = Number.POSITIVE_INFINITY }) =>
      new Promise((resolve, reject) => {
        rejectRun = reject
        if (broken) return reject(broken)
        const start = performance.now()
        const last = next + requests
        let answers = 0
        let busy = open.length
        const go = (one: Connection): void => {
          if (next >= last || performance.now() - start >= ms) {
            busy -= 1
            if (busy === 0) resolve({ requests: answers, seconds: (performance.now() - start) / 1000 })
            return
          }
          const n = next
          next += 1
          one.ask(messages(n), (status) => {
            if (status < 200 || status > 299) return fail(new Error(`${status} for ${messages(n)}`))
            answers += 1
            go(one)
          })
        }
        for (const one of open) go(one)
      }),
    close: () => {
      for (const one of open) one.close()
    },
  }
}
