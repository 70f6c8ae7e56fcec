import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { startLimited } from './server.ts'

it('a server with 600 descriptors survives 900 connections, and answers once some of them are gone', async () => {
  const server = await startLimited(600)
  const { hostname, port } = new URL(server.ready.gateway.url)
  const sockets: Socket[] = []
  for (let at = 0; at < 900; at += 1) {
    const socket = connect(Number(port), hostname)
    // Connections beyond what it can accept may be reset.
    socket.on('error', () => {})
    sockets.push(socket)
  }
  const [first] = sockets
  if (first?.connecting) await once(first, 'connect')
  await new Promise((resolve) => setTimeout(resolve, 300))
  for (const socket of sockets) socket.destroy()
  await expect
    .poll(() => fetch(`${server.ready.gateway.url}/health`).then(({ status }) => status, String))
    .toBe(200)
  expect(await server.stop()).toBe(0)
})
