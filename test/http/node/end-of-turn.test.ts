import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { endOfTurn } from '../../../src/http/node/end-of-turn.ts'
import { servers, upWith } from './servers.ts'

const asks = (many: number, settled: number[]) => {
  for (let n = 0; n < many; n += 1) void endOfTurn().then(() => settled.push(n))
}
const allMicrotasks = () => new Promise<void>((resolve) => process.nextTick(() => queueMicrotask(resolve)))
const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))

it('callers of one turn of the event loop continue together at its end, in order', async () => {
  const settled: number[] = []
  asks(3, settled)
  await allMicrotasks()
  expect(settled).toEqual([])
  await nextTurn()
  expect(settled).toEqual([0, 1, 2])
})

it('no more than sixteen wait for one another', async () => {
  const settled: number[] = []
  asks(20, settled)
  await allMicrotasks()
  expect(settled).toHaveLength(16)
  await nextTurn()
  expect(settled).toHaveLength(20)
})

it.each(servers)('%s: answers of one turn go to their own connections', async (_server, start) => {
  const up = upWith(start)
  const { port } = await up(async ({ url }) => new Response(`<${new URL(url).pathname}>`))
  const heard = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      for (const round of [1, 2]) {
        socket.write(`GET /${n}/${round} HTTP/1.1\r\nHost: x\r\n\r\n`)
        while (!text.includes(`/${n}/${round}>`))
          text += String(await new Promise((resolve) => socket.once('data', resolve)))
      }
      socket.destroy()
      return text.match(/<[^>]+>/g)
    }),
  )
  expect(heard).toEqual(heard.map((_, n) => [`</${n}/1>`, `</${n}/2>`]))
})
