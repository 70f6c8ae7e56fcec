// One server in a child process; arguments: plinth|bare|fastify, the name of a row, and the answer that the latter two send.
// It sends its port once it listens, and its CPU time whenever it receives a message.
import { createServer } from 'node:http'
import fastify from 'fastify'
import { treeAt } from '../compare/tree.ts'
import { rows } from './rows.ts'

/** The response of Plinth, which the other two send. */
export interface Answer {
  readonly status: number
  readonly type: string | undefined
  readonly body: string
}

/** A message to the parent process. */
export interface Report {
  readonly port?: number
  /** CPU time so far in microseconds, system time and garbage collection included. */
  readonly cpu?: number
}

const [kind, name = '', answerText = '{}'] = process.argv.slice(2)

async function plinth(): Promise<number> {
  const row = rows[name]
  if (row === undefined) throw new Error(`there is no row ${name}`)
  const { load } = treeAt(process.cwd())
  return (await (await load('./node')).serve({ fetch: await row.handler(load) })).port
}

/** Sends the same bytes with one `writeHead` and one `end`; reads request bodies to their end and parses them. */
async function bare({ status, type, body }: Answer): Promise<number> {
  const bytes = Buffer.from(body)
  const headers = { ...(type ? { 'content-type': type } : {}), 'content-length': bytes.length }
  const server = createServer({ keepAliveTimeout: 65_000 }, (message, response) => {
    const answer = () => response.writeHead(status, headers).end(bytes)
    if (message.method === 'GET') return void answer()
    const chunks: Buffer[] = []
    message.on('data', (chunk: Buffer) => chunks.push(chunk))
    message.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString())
      answer()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

/** Serialises the same object for each request, without a schema; fastify reads and parses request bodies itself. */
async function framework({ status, body }: Answer): Promise<number> {
  const value: unknown = body === '' ? undefined : JSON.parse(body)
  const app = fastify()
  app.all('*', (_request, reply) => reply.code(status).send(value))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return Number(new URL(url).port)
}

const tell = (report: Report) => process.send?.(report)
const answer: Answer = JSON.parse(answerText)
const port =
  kind === 'plinth' ? await plinth() : kind === 'bare' ? await bare(answer) : await framework(answer)
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  tell({ cpu: user + system })
})
process.on('disconnect', () => process.exit())
tell({ port })
