import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { toNodeListener } from '../../../src/http/node/index.ts'
import { servers, upWith } from './servers.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const put = (path: string, body: string) =>
  `PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`

describe.each(servers)('%s: requests that a client sends without waiting for answers', (_server, start) => {
  const up = upWith(start)
  it('are answered in order, so that one can depend on the changes of the one before it', async () => {
    let kept = 'nothing'
    const { port } = await up(async (request) => {
      if (request.method === 'GET') return new Response(`[${kept}]`)
      const text = await request.text()
      await pause(30)
      kept = text
      return new Response('')
    })
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.on('data', (chunk) => (heard += chunk))
    socket.write(get('/') + put('/', 'one') + get('/') + put('/', 'two') + get('/'))
    await expect.poll(() => heard.match(/\[\w+\]/g)).toEqual(['[nothing]', '[one]', '[two]'])
    socket.destroy()
  })

  it('are many on other connections all the while', async () => {
    const { port } = await up(async (request) => {
      if (request.url.endsWith('/slow')) await pause(300)
      return new Response('here')
    })
    const slow = connect(port, '127.0.0.1')
    slow.write(get('/slow') + get('/quick'))
    const answer = await fetch(`http://127.0.0.1:${port}/quick`)
    expect(await answer.text()).toBe('here')
    slow.destroy()
  })

  it.each([
    ['without bodies', get('/')],
    ['with bodies', put('/', 'x')],
  ])('are not kept by the thousand for one that reads nothing: %s', async (_, request) => {
    let begun = 0
    const { port } = await up(async (asked) => {
      begun += 1
      await asked.text()
      return new Response('x'.repeat(200_000))
    })
    const socket = connect(port, '127.0.0.1')
    socket.pause()
    const many = request.repeat(1000)
    let accepted = 0
    const send = () =>
      void socket.write(many, (failed) => {
        if (failed) return
        accepted += 1
        send()
      })
    socket.on('error', () => {})
    send()
    /** Until nothing happens: in many turns of the event loop, for one may come late and see nothing of what waits. */
    const quiet = async () => {
      for (let turn = 0; turn < 20; turn += 1) await pause(10)
    }
    let before = -1
    while (begun !== before || begun === 0) {
      before = begun
      await quiet()
    }
    expect(begun).toBeLessThan(500)
    const wereAccepted = accepted
    await quiet()
    // The connection is full: the sender has to wait.
    expect(accepted).toBe(wereAccepted)
    socket.destroy()
  })

  it('are forgotten once it goes away', async () => {
    const paths: string[] = []
    let gone: () => void = () => {}
    const left = new Promise<void>((resolve) => {
      gone = resolve
    })
    const { port } = await up(async ({ url, signal }) => {
      paths.push(new URL(url).pathname)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      gone()
      return new Response('')
    })
    const socket = connect(port, '127.0.0.1')
    socket.write(get('/first') + get('/second'))
    await expect.poll(() => paths).toEqual(['/first'])
    socket.destroy()
    await left
    await pause(50)
    expect(paths).toEqual(['/first'])
  })

  it('are all answered, however many, to one that reads', async () => {
    const { port } = await up((request) => new Response(`<${new URL(request.url).pathname}>`))
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.on('data', (chunk) => (heard += chunk))
    const paths = Array.from({ length: 3000 }, (_, at) => `/${at}`)
    socket.write(paths.map(get).join(''))
    await expect.poll(() => heard.match(/<\/\d+>/g)?.length).toBe(3000)
    expect(heard.match(/<\/\d+>/g)).toEqual(paths.map((path) => `<${path}>`))
    socket.destroy()
  })
})

describe('requests to several listeners of one server', () => {
  it('are answered in the order in which they came on their connection', async () => {
    const begun: string[] = []
    const listenerOf = (name: string, ms: number) =>
      toNodeListener(async () => {
        begun.push(`${name} begins`)
        await pause(ms)
        begun.push(`${name} ends`)
        return new Response(name)
      })
    const [slow, quick] = [listenerOf('slow', 30), listenerOf('quick', 0)]
    const server = createServer((message, response) =>
      (message.url === '/slow' ? slow : quick)(message, response),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(get('/slow') + get('/quick'))
    await expect.poll(() => begun).toEqual(['slow begins', 'slow ends', 'quick begins', 'quick ends'])
    socket.destroy()
    server.close()
  })
})
