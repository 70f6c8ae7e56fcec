import { afterAll, beforeAll, expect } from 'vitest'
import { serve } from '../../src/http/node/index.ts'
import { devSecrets, type Secrets } from '../../src/secrets/index.ts'

/** A service that speaks the clients' words, behind a socket. */
export interface Served {
  readonly service: Secrets
  readonly token: string
  readonly url: string
}

/** Serves secrets to the tests of a file, which end without an unexpected error. */
export function servedSecrets(): () => Served {
  const errors: unknown[] = []
  let served: Served | undefined
  let end: () => Promise<void>
  beforeAll(async () => {
    const { service, rootToken } = await devSecrets({
      onError: (error) => errors.push(error),
    })
    const listening = await serve({ fetch: service.fetch })
    served = { service, token: rootToken, url: listening.url }
    end = async () => {
      await listening.close({ drainMs: 500 })
      await service.close()
    }
  })
  afterAll(async () => {
    await end()
    expect(errors).toEqual([])
  })
  return () => {
    if (served === undefined) throw new Error('nothing is served before the tests run')
    return served
  }
}
