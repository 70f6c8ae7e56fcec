import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that came through, by what matters to a mirror. */
export interface Passed {
  readonly method: string
  readonly path: string
  readonly range: string | undefined
}

/** Answers in place of the server behind, or does not. */
type Instead = (incoming: IncomingMessage, answer: ServerResponse) => boolean

/** A way to a server that can be cut off in the middle of an answer or of a body, and led to another. */
export async function front(target: string) {
  let [behind, isCut] = [target, false]
  let answerLimit = Number.POSITIVE_INFINITY
  let bodyLimit = Number.POSITIVE_INFINITY
  let instead: Instead = () => false
  let reached = () => {}
  const passed: Passed[] = []
  let opened = Promise.resolve()
  let open = () => {}
  const server = createServer(async (incoming, answer) => {
    const { method = '', url = '', headers } = incoming
    // However long it takes until it is led somewhere else: those who try again try so often only.
    await opened
    passed.push({ method, path: url, range: headers.range })
    if (instead(incoming, answer)) return
    const onward = request(`${behind}${url}`, { method, headers })
    const cutOff = () => {
      if (isCut) return
      isCut = true
      opened = new Promise((resolve) => {
        open = resolve
      })
      reached()
      onward.destroy()
      incoming.socket.destroy()
    }
    onward.on('error', () => incoming.socket.destroy())
    onward.on('response', (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers)
      from.on('error', () => incoming.socket.destroy())
      from.on('data', (chunk: Buffer) => {
        if (chunk.length < answerLimit) {
          answerLimit -= chunk.length
          if (!answer.write(chunk)) {
            from.pause()
            answer.once('drain', () => from.resume())
          }
          return
        }
        // What is cut off must have come: ended, the rest of it is missing.
        answer.write(chunk.subarray(0, answerLimit), cutOff)
        answerLimit = Number.POSITIVE_INFINITY
      })
      from.on('end', () => answer.end())
    })
    incoming.on('data', (chunk: Buffer) => {
      onward.write(chunk)
      bodyLimit -= chunk.length
      if (bodyLimit <= 0) cutOff()
    })
    incoming.on('end', () => onward.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    passed,
    /** Resolves once the way was cut off, after so many bytes of answers or of bodies that are as long. */
    cutAfter: ({ answered, sent }: { readonly answered?: number; readonly sent?: number }) => {
      answerLimit = answered ?? Number.POSITIVE_INFINITY
      bodyLimit = sent ?? Number.POSITIVE_INFINITY
      return new Promise<void>((resolve) => {
        reached = resolve
      })
    },
    /** Opens it again, to another server. */
    leadTo: (url: string) => {
      bodyLimit = Number.POSITIVE_INFINITY
      behind = url
      isCut = false
      open()
    },
    answerInstead: (given: Instead) => {
      instead = given
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
