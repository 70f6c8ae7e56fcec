import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lru } from '../../src/kernel/lru.ts'

const key = fc.constantFrom('a', 'b', 'c', 'd')
const change = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key, weight: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ do: fc.constant('delete' as const), key }),
  fc.record({ do: fc.constant('clear' as const) }),
)

describe('an LRU cache', () => {
  it('has the newest entry, none that was deleted, and no more weight than its budget, after any changes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const cache = lru<number>(10, (weight) => weight)
        for (const each of changes) {
          if (each.do === 'set') cache.set(each.key, each.weight)
          else if (each.do === 'delete') cache.delete(each.key)
          else cache.clear()
          const kept = ['a', 'b', 'c', 'd'].map((name) => cache.get(name) ?? 0)
          expect(kept.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(10)
          if (each.do === 'set') expect(cache.get(each.key)).toBe(each.weight)
          if (each.do === 'delete') expect(cache.get(each.key)).toBeUndefined()
          if (each.do === 'clear') expect(kept).toEqual([0, 0, 0, 0])
        }
      }),
    )
  })

  it('drops the entries that were not used for longest', () => {
    const cache = lru<number>(10, (weight) => weight)
    for (const name of ['a', 'b', 'c']) cache.set(name, 3)
    cache.get('a')
    cache.set('d', 3)
    expect(['a', 'b', 'c', 'd'].map((name) => cache.get(name))).toEqual([3, undefined, 3, 3])
  })

  it('keeps all entries that fit, replaced ones counted once', () => {
    const cache = lru<number>(10, (weight) => weight)
    for (let round = 0; round < 20; round += 1) cache.set('a', 4)
    cache.set('b', 6)
    expect([cache.get('a'), cache.get('b')]).toEqual([4, 6])
    cache.delete('b')
    cache.delete('b')
    cache.set('c', 6)
    expect([cache.get('a'), cache.get('c')]).toEqual([4, 6])
  })
})
