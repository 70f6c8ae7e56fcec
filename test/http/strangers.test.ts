import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'

const pieces = 15
const piece = new Uint8Array(2 * 1024 * 1024).fill(0x20)

/** A body of 30 MiB of blanks, and how many of its pieces were asked for. */
function largeBody() {
  let asked = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        asked += 1
        if (asked <= pieces) controller.enqueue(piece)
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, asked: () => asked }
}

/** A path of a route, with something in the place of every capture. */
const pathOf = (path: string) => path.replace(/:\w+/g, 'x').replace(/\*\w+/g, 'a/b')

const { service: secrets } = await devSecrets()
// Those of the scheduler, whose refusals are all alike, are in scheduler/judge-first.test.ts.
const services = [
  ['secrets', secrets, new Set(['none', 'any token, or none'])],
  ['catalog', createCatalog(), new Set(['open'])],
  ['registry', createRegistry(), new Set(['none'])],
] as const

describe.each(services)('%s', (_name, { fetch, routes }, open) => {
  const writing = routes
    .filter(({ methods }) => !methods.includes('GET'))
    .flatMap(({ id, methods, path, access = '' }) => methods.map((method) => ({ id, method, path, access })))

  it.each(writing)(
    'reads no large body of an unauthenticated caller at $method $path ($id)',
    async ({ method, path, access }) => {
      const { stream, asked } = largeBody()
      const init = { method, body: stream, duplex: 'half' } as const
      const { status } = await fetch(new Request(`http://service.test${pathOf(path)}`, init))
      expect(status).toBeGreaterThanOrEqual(400)
      // Where anyone may ask, what is too large is found out by its first piece.
      expect(asked()).toBeLessThanOrEqual(open.has(access) ? 1 : 0)
    },
  )
})
