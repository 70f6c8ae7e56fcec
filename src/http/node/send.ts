import type { IncomingMessage, ServerResponse } from 'node:http'

/** What goes out at once: how far a slow client has come is seen by whole pieces only. */
const pieceBytes = 256 * 1024

/** Writes a response with back-pressure; a body that is one chunk goes out with its length. */
export async function send(
  answer: Response,
  response: ServerResponse,
  message: IncomingMessage,
): Promise<void> {
  // A middleware that waits no longer has answered meanwhile.
  if (response.headersSent) return void answer.body?.cancel().catch(() => {})
  const headers = headersOf(answer, response)
  // A body nobody read would keep the connection busy: say that it ends here.
  if (!message.complete && message.headers['transfer-encoding'] !== undefined) headers['connection'] = 'close'

  if (answer.body === null) {
    if (answer.status !== 204 && answer.status !== 304 && message.method !== 'HEAD')
      headers['content-length'] ??= '0'
    response.writeHead(answer.status, headers).end()
    return
  }
  // Fewer bytes than were promised are a failure too.
  response.strictContentLength = true
  const reader = answer.body.getReader()
  response.on('close', () => void reader.cancel().catch(() => {}))
  // Read ahead: what breaks meanwhile is found out when it is waited for, or by nobody if the client goes away first.
  const read = () => {
    const chunk = reader.read()
    chunk.catch(() => {})
    return chunk
  }
  const first = await read()
  // Only a body that ends at once is sent with its length; a slow stream must not wait for its second chunk.
  let next = read()
  const whole = first.done || (await Promise.race([next.then(({ done }) => done), turn()]))
  const firstBytes = first.value?.byteLength ?? 0
  if (whole) headers['content-length'] ??= String(firstBytes)
  response.writeHead(answer.status, headers)
  // Together with its head.
  if (whole && firstBytes <= pieceBytes) return void response.end(first.value)
  for (let chunk = first.value; chunk !== undefined; next = read()) {
    await write(chunk, response)
    if (response.destroyed) return
    chunk = (await next).value
  }
  response.end()
}

/**
 * The headers of an answer, which count more than those of the same name that a middleware set before. `Vary` and cookies
 * are told together.
 */
function headersOf({ headers: ours }: Response, response: ServerResponse): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of ours) if (name !== 'set-cookie') headers[name] = value
  const cookies = ours.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = [...earlier(response, 'set-cookie'), ...cookies]
  const { vary } = headers
  if (vary !== undefined) headers['vary'] = [...earlier(response, 'vary'), vary].join(', ')
  return headers
}

const earlier = (response: ServerResponse, name: string): readonly string[] =>
  [response.getHeader(name) ?? []].flat().map(String)

async function write(chunk: Uint8Array, response: ServerResponse): Promise<void> {
  for (let at = 0; at < chunk.byteLength && !response.destroyed; at += pieceBytes)
    if (!response.write(chunk.subarray(at, at + pieceBytes))) await drained(response)
}

const turn = (): Promise<false> => new Promise((resolve) => setImmediate(() => resolve(false)))

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
