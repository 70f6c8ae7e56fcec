import { describe, expect, it } from 'vitest'
import { numberedPage, readPage } from '../../src/paging/index.ts'

const limits = { defaultLimit: 10, maxLimit: 100 }

describe('a numbered page', () => {
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
    expect(numberedPage([1, 2, 3], { page: 2, limit: 2 })).toEqual([3])
    expect(numberedPage([1, 2, 3], { page: 3, limit: 2 })).toEqual([])
    expect(numberedPage([1, 2, 3], { page: Number.MAX_SAFE_INTEGER, limit: 100 })).toEqual([])
  })
})
