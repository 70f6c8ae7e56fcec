import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Ask } from './rows.ts'
import type { Answer, Report } from './server.ts'

/** A server in a child process. */
export interface Running {
  readonly port: number
  /** CPU time of the process so far, in microseconds. */
  readonly cpu: () => Promise<number>
  readonly stop: () => Promise<void>
}

/** Starts the server of one row; the bare one and fastify send `answer`. */
export async function start(
  kind: 'plinth' | 'bare' | 'fastify',
  row: string,
  answer?: Answer,
): Promise<Running> {
  const child = fork(new URL('./server.ts', import.meta.url), [kind, row, JSON.stringify(answer ?? {})])
  const { port } = await hear(child)
  if (port === undefined) throw new Error(`the ${kind} server sent no port`)
  return {
    port,
    cpu: async () => {
      child.send('cpu')
      return (await hear(child)).cpu ?? Number.NaN
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

async function hear(child: ChildProcess): Promise<Report> {
  const gone = new AbortController()
  const ended = once(child, 'exit', { signal: gone.signal }).then(([code]) => {
    throw new Error(`a server exited with code ${code}`)
  })
  try {
    const [report] = await Promise.race([once(child, 'message', { signal: gone.signal }), ended])
    return report
  } finally {
    gone.abort()
    ended.catch(() => {})
  }
}

/** Sends one request and returns its response, for the other servers to send. */
export async function answerOf(port: number, { method, path, headers, body }: Ask): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, connection: 'close' },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return { status: response.status, type: response.headers.get('content-type') ?? undefined, body: text }
}
