import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type OffsetPage, offsetMeta, offsetPage, offsetUrl, readOffset } from '../../src/paging/index.ts'

const limits = { defaultLimit: 15, maxLimit: 100 }

describe('an offset window', () => {
  it.each([
    [{}, { offset: 0, limit: 15 }],
    [
      { limit: '3', offset: '7' },
      { offset: 7, limit: 3 },
    ],
    [{ limit: '10000' }, { offset: 0, limit: 100 }],
    [{ limit: '0' }, { offset: 0, limit: 15 }],
    [
      { limit: '-1', offset: '-1' },
      { offset: 0, limit: 15 },
    ],
    [
      { limit: 'ten', offset: '1.5' },
      { offset: 0, limit: 15 },
    ],
    [
      { limit: '', offset: '' },
      { offset: 0, limit: 15 },
    ],
    [{ offset: '99999999999999999999' }, { offset: Number.MAX_SAFE_INTEGER, limit: 15 }],
  ])('reads %j as %j', (query, window) => {
    expect(readOffset(query, limits)).toEqual(window)
  })

  it.each([
    [0, 10, true, { nextOffset: 10 }],
    [10, 10, true, { nextOffset: 20, prevOffset: 0 }],
    [40, 10, false, { prevOffset: 30 }],
    [32, 10, false, { prevOffset: 22 }],
    [5, 12, true, { nextOffset: 17, prevOffset: 0 }],
    [1, 3, true, { nextOffset: 4, prevOffset: 0 }],
  ])('at %i with limit %i, more: %s, has neighbours %j', (offset, limit, more, neighbours) => {
    expect(offsetMeta({ offset, limit }, more)).toEqual({ limit, currentOffset: offset, ...neighbours })
  })

  it.each([
    [Number.NaN, 2, 'offset is NaN: pass a whole number of rows, 0 or more'],
    [-1, 2, 'offset is -1: pass a whole number of rows, 0 or more'],
    [0.5, 2, 'offset is 0.5: pass a whole number of rows, 0 or more'],
    [0, 0, 'limit is 0: pass a whole number of rows, 1 or more'],
    [0, Number.NaN, 'limit is NaN: pass a whole number of rows, 1 or more'],
  ])('is refused at %s with limit %s', (offset, limit, message) => {
    expect(() => offsetPage([1, 2, 3], { offset, limit })).toThrow(new RangeError(message))
    expect(() => offsetMeta({ offset, limit }, true)).toThrow(new RangeError(message))
  })

  it('has the same address for every order of its parameters, and none for offset 0', () => {
    expect(offsetUrl('/v1/modules?verified=true&offset=4&limit=2', 6)).toBe(
      '/v1/modules?limit=2&offset=6&verified=true',
    )
    expect(offsetUrl('/v1/modules?offset=4', 0)).toBe('/v1/modules')
    expect(offsetUrl('/v1/modules', 2)).toBe('/v1/modules?offset=2')
  })

  it('followed from next to next gives the whole list', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 9 }), (list, limit) => {
        const seen: number[] = []
        for (let offset: number | undefined = 0; offset !== undefined; ) {
          const page: OffsetPage<number> = offsetPage(list, { offset, limit })
          seen.push(...page.rows)
          offset = page.meta.nextOffset
        }
        expect(seen).toEqual(list)
      }),
    )
  })
})
