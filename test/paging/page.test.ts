import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numberedPage, readPage } from '../../src/paging/index.ts'

const limits = { defaultLimit: 10, maxLimit: 100 }

describe('a numbered page', () => {
  it.each([
    [{ page: Number.NaN, limit: 2 }, 'page is NaN: pass a whole number of pages, 1 or more'],
    [{ page: 0, limit: 2 }, 'page is 0: pass a whole number of pages, 1 or more'],
    [{ page: 1, limit: 0 }, 'limit is 0: pass a whole number of rows, 1 or more'],
    [{ page: 1, limit: Number.NaN }, 'limit is NaN: pass a whole number of rows, 1 or more'],
  ])('is none of %j', (request, message) => {
    expect(() => numberedPage([1, 2, 3], request)).toThrow(new RangeError(message))
  })

  it.each([
    [{}, { page: 1, limit: 10 }],
    [
      { page: '3', limit: '25' },
      { page: 3, limit: 25 },
    ],
    [{ limit: '1000' }, { page: 1, limit: 100 }],
    [{ limit: '0' }, { page: 1, limit: 1 }],
    [
      { limit: '-5', page: '-5' },
      { page: 1, limit: 1 },
    ],
    [
      { page: '', limit: '' },
      { page: 1, limit: 10 },
    ],
  ])('reads %j as %j', (query, value) => {
    expect(readPage(query, limits)).toEqual({ ok: true, value })
  })

  it.each(['ten', '1.5', '1e3', 'NaN'])('refuses "%s" and names the parameter', (text) => {
    expect(readPage({ page: text }, limits)).toMatchObject({
      ok: false,
      refusal: {
        code: 'invalid_page',
        message: 'page must be a whole number',
        detail: { parameter: 'page' },
      },
    })
    expect(readPage({ limit: text }, limits)).toMatchObject({ refusal: { detail: { parameter: 'limit' } } })
  })

  it('is empty past the end', () => {
    expect(numberedPage([1, 2, 3], { page: 2, limit: 2 })).toEqual({ rows: [3], pageCount: 2 })
    expect(numberedPage([1, 2, 3], { page: 3, limit: 2 })).toEqual({ rows: [], pageCount: 2 })
    expect(numberedPage([1, 2, 3], { page: Number.MAX_SAFE_INTEGER, limit: 100 })).toEqual({
      rows: [],
      pageCount: 1,
    })
  })

  it('after page gives the whole list, up to the number of pages', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 9 }), (list, limit) => {
        const { pageCount } = numberedPage(list, { page: 1, limit })
        const pages = Array.from(
          { length: pageCount },
          (_, at) => numberedPage(list, { page: at + 1, limit }).rows,
        )
        expect(pages.flat()).toEqual(list)
        expect(pages).not.toContainEqual([])
      }),
    )
  })
})
