import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../src/registry/index.ts'
import { memoryStore } from '../../src/store/index.ts'

const source = 'https://example.com/x.zip'
const total = 57
const modules = Array.from({ length: total }, (_, index) => ({
  namespace: ['acme', 'Beta', 'c-3'][index % 3] ?? '',
  name: `module-${index}`,
  provider: ['aws', 'google'][index % 2] ?? '',
  description: index % 5 === 0 ? 'a network' : 'else',
  verified: index % 4 === 0,
  versions: [{ version: '1.0.0', source }],
}))
const registry = createRegistry({ store: memoryStore() })
const loaded = registry.load({ modules })

const base = 'http://service.test'
async function page(path: string) {
  await loaded
  const response = await registry.fetch(new Request(new URL(path, base)))
  expect(response.status).toBe(200)
  const body = JSON.parse(await response.text())
  return { meta: body.meta, ids: body.modules.map(({ id }: { id: string }) => id) as string[] }
}

const lists = [
  '/v1/modules',
  '/v1/modules?verified=true',
  '/v1/modules?provider=aws&verified=true',
  '/v1/modules/beta?provider=google',
  '/v1/modules/search?q=module',
  '/v1/modules/search?q=network+mod&provider=aws',
  '/v1/modules/search?q=a%26b+module',
]
const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

describe('following next_url', () => {
  it('from offset 0 visits every module once and ends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...lists), fc.integer({ min: 1, max: 70 }), async (path, limit) => {
        const whole = await page(withQuery(path, 'limit=100'))
        const visited: string[] = []
        let pages = 0
        for (
          let next: string | undefined = withQuery(path, `limit=${limit}`);
          next !== undefined;
          pages += 1
        ) {
          const at: Awaited<ReturnType<typeof page>> = await page(next)
          visited.push(...at.ids)
          next = at.meta.next_url
          expect(pages).toBeLessThanOrEqual(total)
        }
        expect(visited).toEqual(whole.ids)
        expect(new Set(visited).size).toBe(visited.length)
        expect(pages).toBe(Math.max(1, Math.ceil(whole.ids.length / limit)))
      }),
      { numRuns: 60 },
    )
  })

  it('and prev_url back again ends at the first page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(80), fc.integer({ min: 1, max: 20 }), async (offset, limit) => {
        let at = await page(`/v1/modules?limit=${limit}&offset=${offset}`)
        for (let steps = 0; at.meta.prev_url !== undefined; steps += 1) {
          expect(steps).toBeLessThanOrEqual(Math.ceil(offset / limit))
          at = await page(at.meta.prev_url)
        }
        expect(at.meta.current_offset).toBe(0)
      }),
      { numRuns: 40 },
    )
  })
})

describe('a page', () => {
  it('is what its offset and limit say, on any offset and limit', async () => {
    const whole = (await page('/v1/modules?limit=100')).ids
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -5, max: 120 }),
        fc.integer({ min: -5, max: 200 }),
        async (offset, limit) => {
          const { meta, ids } = await page(`/v1/modules?offset=${offset}&limit=${limit}`)
          const applied = limit < 1 ? 15 : Math.min(limit, 100)
          const start = Math.max(0, offset)
          expect(ids).toEqual(whole.slice(start, start + applied))
          expect({ ...meta, next_url: undefined, prev_url: undefined }).toEqual({
            limit: applied,
            current_offset: start,
            ...(start + applied < total ? { next_offset: start + applied } : {}),
            ...(start > 0 ? { prev_offset: Math.max(0, start - applied) } : {}),
          })
          for (const [url, at] of [
            [meta.next_url, meta.next_offset],
            [meta.prev_url, meta.prev_offset],
          ])
            if (at === undefined) expect(url).toBeUndefined()
            else expect((await page(url)).meta).toMatchObject({ current_offset: at, limit: applied })
        },
      ),
      { numRuns: 80 },
    )
  })
})
