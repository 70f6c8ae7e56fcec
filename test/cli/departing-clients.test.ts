import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killAll, type Server, start } from './server.ts'

const clients = 8
const host = 'HTTP/1.1\r\nHost: x\r\n'
const wait = `GET /v1/nodes?index=99999&wait=5m ${host}\r\n`
// No connection of the tests themselves stays open, to be counted.
const headers = { connection: 'close' }
const half = `PUT /v1/jobs ${host}Content-Length: 100000\r\n\r\n{"Job":{"ID":"${'x'.repeat(50_000)}`

let server: Server

beforeAll(async () => {
  server = await start()
  const Meta = { note: 'long'.repeat(25_000) }
  const TaskGroups = [{ Name: 'web', Tasks: [{ Name: 'main' }] }]
  for (let n = 0; n < 50; n += 1) {
    const body = JSON.stringify({ Job: { ID: `job-${n}`, Meta, TaskGroups } })
    const answer = await fetch(`${server.ready.scheduler.url}/v1/jobs`, { method: 'PUT', body, headers })
    expect(answer.status).toBe(200)
  }
})
afterAll(killAll)

/** What the server holds for its clients, by its own account. */
async function held() {
  const text = await (await fetch(`${server.ready.gateway.url}/metrics`, { headers })).text()
  const value = (name: string) => Number(new RegExp(`^${name}(?:{.*})? (\\d+)$`, 'm').exec(text)?.[1])
  return {
    polls: value('plinth_open_polls'),
    bytes: value('plinth_buffered_bytes'),
    descriptors: value('process_open_fds'),
  }
}

/** Clients of the scheduler that have sent something. */
const connected = (sent: string): readonly Socket[] =>
  Array.from({ length: clients }, () => {
    const socket = connect(Number(new URL(server.ready.scheduler.url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(sent)
    return socket
  })

describe('a running server releases the resources of clients that disconnect', () => {
  it.each([
    ['within a body', half, { polls: 0, bytes: 8 * 50_014 }],
    ['during a blocking query', wait, { polls: 8, bytes: 0 }],
    ['with blocking queries in line', wait.repeat(4), { polls: 8, bytes: 0 }],
  ])('%s', async (_stage, sent, during) => {
    const before = await held()
    const sockets = connected(sent)
    await expect.poll(held).toMatchObject(during)
    for (const socket of sockets) socket.resetAndDestroy()
    await expect.poll(held).toEqual(before)
  })

  it.each([
    ['within the answer of a long list', `GET /v1/jobs?meta=true ${host}\r\n`],
    ['within an event stream', `GET /v1/event/stream?index=1 ${host}\r\n`],
  ])('%s', async (_stage, sent) => {
    const before = await held()
    const sockets = connected(sent)
    await Promise.all(sockets.map(async (socket) => once(socket, 'data').then(() => socket.pause())))
    for (const socket of sockets) socket.resetAndDestroy()
    await expect.poll(held).toEqual(before)
  })

  it('and says nothing of it', async () => {
    expect(await server.stop()).toBe(0)
    expect(server.output().stderr).toBe('')
  })
})
