import { describe, expect, it } from 'vitest'
import { createCatalog, fixedWindow } from '../../src/catalog/index.ts'
import { createGateway } from '../../src/gateway/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { createSecrets } from '../../src/secrets/index.ts'
import { memoryBlobs } from '../../src/store/index.ts'

const blobs = memoryBlobs(() => ({ update: () => {}, digest: () => '' }))

describe('an option that cannot be is refused, by its name and with what would be right', () => {
  it.each<[string, () => unknown, string]>([
    [
      'a negative lease time',
      () => createSecrets({ defaultLeaseTtlSeconds: -5 }),
      'defaultLeaseTtlSeconds is -5: give a whole number of seconds, 1 or more',
    ],
    [
      'a lease time that is no number',
      () => createSecrets({ maxLeaseTtlSeconds: Number.NaN }),
      'maxLeaseTtlSeconds is NaN: give a whole number of seconds, 1 or more',
    ],
    [
      'a lease time without end',
      () => createSecrets({ maxLeaseTtlSeconds: Number.POSITIVE_INFINITY }),
      'maxLeaseTtlSeconds is Infinity: give a whole number of seconds, 1 or more',
    ],
    [
      'a usual lease time above the longest',
      () => createSecrets({ defaultLeaseTtlSeconds: 60, maxLeaseTtlSeconds: 30 }),
      'defaultLeaseTtlSeconds is 60: it can be no more than maxLeaseTtlSeconds, 30',
    ],
    [
      'a body of no bytes',
      () => createSecrets({ maxBodyBytes: 0 }),
      'maxBodyBytes is 0: give a number of bytes, 1 or more',
    ],
    [
      'a grace before it begins',
      () => createGateway({ graceMs: -1 }),
      'graceMs is -1: give a number of milliseconds, 0 or more',
    ],
    [
      'heartbeats at no distance',
      () => createScheduler({ heartbeatTtlMs: 0 }),
      'heartbeatTtlMs is 0: give a number of milliseconds, 1 or more',
    ],
    [
      'waits of a negative length',
      () => createScheduler({ waits: { defaultMs: 1000, maxMs: -1 } }),
      'waits.maxMs is -1: give a number of milliseconds, 1 or more',
    ],
    [
      'collecting without a pause',
      () => createScheduler({ collect: { everyMs: 0 } }),
      'collect.everyMs is 0: give a number of milliseconds, 1 or more',
    ],
    [
      'collecting what is not over yet',
      () => createScheduler({ collect: { jobsMs: Number.NaN } }),
      'collect.jobsMs is NaN: give a number of milliseconds, 0 or more',
    ],
    [
      'uploads that may never begin',
      () => createCatalog({ blobs, uploads: { beginWithinSeconds: -1 } }),
      'uploads.beginWithinSeconds is -1: give a number of seconds, 1 or more',
    ],
    [
      'a window without length',
      () => fixedWindow({ limit: 10, windowSeconds: 0 }),
      'windowSeconds is 0: give a number of seconds, 1 or more',
    ],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(new RangeError(message))
  })

  // Without types one can say so.
  const none = [] as unknown as [string]
  it.each<[string, () => unknown]>([
    ['secrets', () => createSecrets({ words: none })],
    ['scheduler', () => createScheduler({ words: none })],
    ['catalog', () => createCatalog({ blobs, words: none })],
    ['registry', () => createRegistry({ words: none })],
  ])('no word at all for the headers of the %s', (_, make) => {
    expect(make).toThrow(new TypeError('words is empty: give at least one, the product word of header names'))
  })

  it('no word at all for the identity-provider method', () => {
    const message = 'idpWords is empty: give at least one, the word of the identity-provider method'
    expect(() => createSecrets({ idpWords: none })).toThrow(new TypeError(message))
  })

  it('a grace given at shutdown, too', async () => {
    const gateway = createGateway()
    await expect(gateway.beginShutdown(Number.NaN)).rejects.toThrow('graceMs is NaN')
    expect(gateway.shutdown().phase).toBe('serving')
  })

  it('while the longest lease time alone lowers the usual one', async () => {
    const service = createSecrets({ maxLeaseTtlSeconds: 3600 })
    await service.close()
  })
})
