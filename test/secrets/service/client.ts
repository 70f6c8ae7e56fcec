import { nodeCrypto } from '../../../src/crypto/index.ts'
import { type DevOptions, devSecrets, type Secrets } from '../../../src/secrets/index.ts'
import { type TestClock, testClock } from '../../../src/testing/index.ts'

/** What came back. */
export interface Answer {
  readonly status: number
  /** The body, parsed; `undefined` when there was none. */
  readonly body: Body
  readonly text: string
  readonly headers: Headers
}

/** Bodies are looked into by tests without further ado. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever it reads
type Body = any

/** A development service with a clock of its own, and a way to ask it. */
export interface Client {
  readonly service: Secrets
  readonly clock: TestClock
  readonly rootToken: string
  readonly unsealKeys: readonly string[]
  readonly errors: readonly unknown[]
  readonly ask: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
}

export async function client(options: DevOptions = {}): Promise<Client> {
  const clock = testClock()
  const errors: unknown[] = []
  const { service, rootToken, unsealKeys } = await devSecrets({
    env: clock.env,
    timers: clock.timers,
    crypto: nodeCrypto({ scryptLogN: 4 }),
    rootToken: 'root',
    onError: (error) => errors.push(error),
    ...options,
  })
  return { service, clock, rootToken, unsealKeys, errors, ask: asking(service, rootToken) }
}

/** Asks a service as the holder of a token. A body that is a text is sent as it is. */
export const asking =
  (service: Pick<Secrets, 'fetch'>, token: string | undefined): Client['ask'] =>
  async (method, path, body, headers = {}) => {
    const response = await service.fetch(
      new Request(`http://localhost${path}`, {
        method,
        redirect: 'manual',
        headers: { ...(token === undefined ? {} : { 'X-Secrets-Token': token }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    return {
      status: response.status,
      text,
      body: text === '' ? undefined : JSON.parse(text),
      headers: response.headers,
    }
  }

/** The content type of a merge patch. */
export const patchType = { 'content-type': 'application/merge-patch+json' }
