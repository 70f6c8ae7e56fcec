/** What a service answered, read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; `undefined` when there was none, the text itself when it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any
}

/** Anything that answers requests: a service. */
export interface Served {
  readonly fetch: (request: Request) => Promise<Response>
}

/** Asks a service `GET /path`. A body of text or bytes is sent as it is, any other one as JSON. */
export async function ask(
  service: Served,
  line: string,
  { body, ...init }: Omit<RequestInit, 'body'> & { readonly body?: unknown } = {},
): Promise<Answer> {
  const at = line.indexOf(' ')
  const [method, path] = [line.slice(0, at), line.slice(at + 1)]
  const content =
    body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const request = new Request(new URL(path, 'http://service.test'), {
    method,
    redirect: 'manual',
    ...init,
    ...(content === undefined ? {} : { body: content }),
  })
  return read(await service.fetch(request))
}

/** Reads a response. */
export async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, text, body: text === '' ? undefined : parsed(text) }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
