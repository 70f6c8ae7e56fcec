import { nodeCrypto } from '../../../src/crypto/index.ts'
import { type DevOptions, devSecrets, type Secrets } from '../../../src/secrets/index.ts'
import { type TestClock, testClock } from '../../../src/testing/index.ts'
import { type Answer, ask } from '../../client.ts'

export type { Answer }

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
  (method, path, body, headers = {}) =>
    ask(service, `${method} ${path}`, {
      body,
      headers: { ...(token === undefined ? {} : { 'X-Secrets-Token': token }), ...headers },
    })

/** The content type of a merge patch. */
export const patchType = { 'content-type': 'application/merge-patch+json' }
