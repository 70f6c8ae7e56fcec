import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fixedWindow } from '../../src/catalog/index.ts'

it('a client begins a window with its first request after the one before, whatever others send', () => {
  const request = fc.record({
    client: fc.constantFrom('a', 'b', 'c'),
    after: fc.integer({ min: 0, max: 900 }),
  })
  fc.assert(
    fc.property(fc.array(request, { maxLength: 60 }), (requests) => {
      const limiter = fixedWindow({ limit: 3, windowSeconds: 1 })
      const windows = new Map<string, { count: number; resetAt: number }>()
      let now = 0
      for (const { client, after } of requests) {
        now += after
        const known = windows.get(client)
        const window = known && known.resetAt > now ? known : { count: 0, resetAt: now + 1000 }
        window.count += 1
        windows.set(client, window)
        expect(limiter(client, now)).toEqual({
          allowed: window.count <= 3,
          limit: 3,
          remaining: Math.max(0, 3 - window.count),
          resetAt: window.resetAt,
        })
      }
    }),
  )
})
