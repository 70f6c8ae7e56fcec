import { describe, expect, it } from 'vitest'
import { defineService, errorsArray, raw, reply, route } from '../../src/http/index.ts'

const define = route<null>()

/** A service whose `POST /hold` answers when it is told to, and counts the bodies it was handed. */
function holding(limits: { readonly maxBufferedBytes: number; readonly maxBodyBytes?: number }) {
  const waiting: (() => void)[] = []
  const service = defineService<null>({
    name: 'holding',
    routes: [
      define({
        id: 'hold',
        method: 'POST',
        path: '/hold',
        summary: 'Hold a body',
        handle: async ({ text }) => {
          await new Promise<void>((resolve) => waiting.push(resolve))
          return reply({ length: text.length })
        },
      }),
      define({
        id: 'stream',
        method: 'PUT',
        path: '/stream',
        summary: 'Pass a body on',
        streams: true,
        handle: ({ exchange }) => raw(exchange.body?.stream() ?? '', 'text/plain'),
      }),
    ],
    statusOf: {},
    dialect: errorsArray,
    context: () => null,
    newId: () => 'ref',
    ...limits,
  })
  const body = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
  const send = (content: string | ReadableStream<Uint8Array>, init: RequestInit = {}) =>
    service.fetch(
      new Request('http://t.test/hold', {
        method: 'POST',
        body: content,
        duplex: 'half',
        ...init,
      } as RequestInit),
    )
  return { service, waiting, body, send }
}

const turns = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('the bodies that a service holds in memory', () => {
  it('are limited together: one that does not fit is answered 503, to be tried again', async () => {
    const { send, body, waiting } = holding({ maxBufferedBytes: 100 })
    const first = send(body(80))
    await turns()
    const second = await send(body(40))
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await second.json()).toEqual({ errors: ['too many large requests are being read: try again'] })
    const third = send(body(20))
    await turns()
    for (const answer of waiting.splice(0)) answer()
    expect((await first).status).toBe(200)
    expect((await third).status).toBe(200)
  })

  it('count until they are answered, and no longer', async () => {
    const { send, body, waiting } = holding({ maxBufferedBytes: 100 })
    for (let round = 0; round < 5; round += 1) {
      const answer = send(body(90))
      await turns()
      waiting.shift()?.()
      expect((await answer).status).toBe(200)
    }
  })

  it('count no more once they were refused, broke off, or were no JSON', async () => {
    const { send, body, waiting } = holding({ maxBufferedBytes: 100, maxBodyBytes: 90 })
    const broken = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(60)),
        pull: (controller) => controller.error(new Error('the client went away')),
      })
    for (let round = 0; round < 3; round += 1) {
      expect((await send(body(95))).status).toBe(413)
      expect((await send('{'.repeat(80))).status).toBe(400)
      expect((await send(broken())).status).toBe(500)
    }
    const whole = send(body(90))
    await turns()
    waiting.shift()?.()
    expect((await whole).status).toBe(200)
  })

  it('are counted while they come where their length is not known', async () => {
    const { send } = holding({ maxBufferedBytes: 100 })
    let pulls = 0
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulls += 1
        controller.enqueue(new Uint8Array(30))
      },
    })
    expect((await send(endless)).status).toBe(503)
    expect(pulls).toBeLessThan(8)
  })

  it('are not those that a route streams', async () => {
    const { service } = holding({ maxBufferedBytes: 10 })
    const answer = await service.fetch(
      new Request('http://t.test/stream', { method: 'PUT', body: 'more than ten bytes' }),
    )
    expect(await answer.text()).toBe('more than ten bytes')
  })
})
