import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rankedPage, ranking } from '../../src/search/index.ts'

describe('where hits stand', () => {
  it('is as when they are sorted by points, and by their order among equals', () => {
    const slot = fc.record({ rank: fc.nat(5), points: fc.nat(4), isListed: fc.boolean() })
    fc.assert(
      fc.property(
        fc.array(slot, { maxLength: 30 }),
        fc.nat(8),
        fc.integer({ min: 0, max: 8 }),
        fc.constantFrom(0, 3, 256),
        fc.boolean(),
        (slots, offset, limit, fewHits, descending) => {
          const order = ranking(
            (at) => slots[at]?.rank ?? 0,
            (a, b) => a - b,
          )
          for (const [at, { isListed }] of slots.entries()) if (isListed) order.add(at)
          const points = Uint16Array.from(slots, (each) => (each.isListed ? each.points : 0))
          const sorted = [...points.keys()]
            .filter((at) => points[at] !== 0)
            .sort(
              (a, b) =>
                (points[b] ?? 0) - (points[a] ?? 0) ||
                (descending ? -1 : 1) * ((slots[a]?.rank ?? 0) - (slots[b]?.rank ?? 0) || a - b),
            )
          expect(rankedPage(order, points, 4, { offset, limit, fewHits, descending })).toEqual({
            slots: sorted.slice(offset, offset + limit),
            total: sorted.length,
          })
        },
      ),
      { numRuns: 500 },
    )
  })
})
