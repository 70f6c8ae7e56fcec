import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareKeysetKeys,
  compareText,
  formatPageToken,
  type KeyShape,
  type KeysetKey,
  keysetPage,
  parsePageToken,
} from '../../src/paging/index.ts'

type Row = readonly [string, string]
const keyOf = (row: Row): KeysetKey => row
const row = fc.tuple(fc.constantFrom('a', 'a-b', 'é', '\u{10000}', '\uffee'), fc.string({ maxLength: 3 }))
const sorted = (rows: readonly Row[], reverse: boolean) =>
  [...new Map(rows.map((item) => [JSON.stringify(item), item])).values()].sort((x, y) =>
    reverse ? compareKeysetKeys(y, x) : compareKeysetKeys(x, y),
  )
const cut = <T>(rows: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size))

describe('the order of texts', () => {
  it('is the order of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
        const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right))
        expect(Math.sign(compareText(left, right))).toBe(bytes)
      }),
    )
  })
})

describe('a page of a keyset', () => {
  it('has a next key only when one more row exists', () => {
    expect(keysetPage([[1, 2]], (n) => [n], { perPage: 2 })).toEqual({ rows: [1, 2], next: undefined })
    expect(keysetPage([[1], [2, 3]], (n) => [n], { perPage: 2 })).toEqual({ rows: [1, 2], next: [3] })
  })

  it.each([Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, '2'])(
    'has no size of %s, which would give everything',
    (size) => {
      expect(() => keysetPage([[1, 2, 3]], (n) => [n], { perPage: size as number })).toThrow(RangeError)
    },
  )

  it('gives everything when the page size is 0', () => {
    expect(keysetPage([[1], [2, 3]], (n) => [n], { perPage: 0 })).toEqual({
      rows: [1, 2, 3],
      next: undefined,
    })
  })

  it('begins at the successor of a key that is gone, in either direction', () => {
    const up = [[1], [3, 5]]
    const down = [[5, 3], [1]]
    expect(keysetPage(up, (n) => [n], { perPage: 1, from: [2] })).toEqual({ rows: [3], next: [5] })
    expect(keysetPage(down, (n) => [n], { perPage: 1, from: [4], reverse: true })).toEqual({
      rows: [3],
      next: [1],
    })
    expect(keysetPage(up, (n) => [n], { perPage: 1, from: [9] })).toEqual({ rows: [], next: undefined })
  })

  it('asks for few more rows to be selected than it needs', () => {
    const asked: number[] = []
    const every = (step: number) => (rows: readonly number[]) => {
      asked.push(rows.length)
      return rows.filter((n) => n % step === 0)
    }
    const thousand = Array.from({ length: 1000 }, (_, n) => n)
    expect(keysetPage([thousand], (n) => [n], { perPage: 3 }, every(2))).toEqual({
      rows: [0, 2, 4],
      next: [6],
    })
    expect(asked).toEqual([16])
    asked.length = 0
    const rare = keysetPage([thousand], (n) => [n], { perPage: 3 }, every(100))
    expect(rare).toEqual({ rows: [0, 100, 200], next: [300] })
    expect(asked.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(600)
    expect(asked.length).toBeLessThan(20)
  })

  it('joined with all following pages is the list, for any runs, size and direction', () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        (rows, perPage, runLength, reverse) => {
          const list = sorted(rows, reverse)
          const seen: Row[] = []
          let from: KeysetKey | undefined
          do {
            const page = keysetPage(cut(list, runLength), keyOf, { perPage, from, reverse })
            seen.push(...page.rows)
            from = page.next && parsed(formatPageToken(page.next), ['text', 'text'])
          } while (from !== undefined && seen.length <= list.length)
          expect(seen).toEqual(list)
        },
      ),
    )
  })

  it('shows each row that existed throughout exactly once, while others come and go', () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 30 }),
        fc.array(fc.tuple(fc.boolean(), row), { maxLength: 60 }),
        fc.boolean(),
        (initial, changes, reverse) => {
          let list = sorted(initial, reverse)
          const removed = new Set<string>()
          const seen: string[] = []
          let from: KeysetKey | undefined
          let step = 0
          do {
            const page = keysetPage([list], keyOf, { perPage: 2, from, reverse })
            seen.push(...page.rows.map((item) => JSON.stringify(item)))
            from = page.next
            for (const [add, item] of changes.slice(step, step + 3)) {
              if (add) list = sorted([...list, item], reverse)
              else {
                removed.add(JSON.stringify(item))
                list = list.filter((other) => JSON.stringify(other) !== JSON.stringify(item))
              }
            }
            step += 3
          } while (from !== undefined)
          const throughout = sorted(initial, reverse)
            .map((item) => JSON.stringify(item))
            .filter((item) => !removed.has(item))
          for (const item of throughout) expect(seen.filter((other) => other === item)).toEqual([item])
        },
      ),
    )
  })
})

describe('a token', () => {
  it('keeps ASCII readable and encodes the rest', () => {
    expect(formatPageToken(['default', 'web.v2'])).toBe('default.web.v2')
    expect(formatPageToken(['ada.l', 'x'])).toBe('ada%2El.x')
    expect(formatPageToken(['100%', 'a b'])).toBe('100%25.a%20b')
    expect(formatPageToken(['naïve'])).toBe('na%C3%AFve')
  })

  it('is read raw or encoded', () => {
    expect(parsed('naïve', ['text'])).toEqual(['naïve'])
    expect(parsed('na%C3%AFve', ['text'])).toEqual(['naïve'])
  })

  it.each([
    ['default.web', ['text', 'text'], ['default', 'web']],
    ['default.web.v2', ['text', 'text'], ['default', 'web.v2']],
    ['default', ['text', 'text'], ['default']],
    ['', ['text', 'text'], []],
    ['12.id', ['number', 'text'], [12, 'id']],
    ['12', ['number', 'text'], [12]],
    ['-3.id', ['number', 'text'], [-3, 'id']],
  ] as const)('"%s" of shape %j is %j', (token, shape, key) => {
    expect(parsed(token, shape)).toEqual(key)
  })

  it.each([
    ['zzz', ['number', 'text'], 1, 'a number'],
    ['1x', ['number'], 1, 'a number'],
    ['Infinity', ['number'], 1, 'a number'],
    ['1e999', ['number'], 1, 'a number'],
    ['a.yes', ['text', 'boolean'], 2, 'true or false'],
    ['100%', ['text'], 1, 'percent-encoded UTF-8'],
    ['a.%ff', ['text', 'text'], 2, 'percent-encoded UTF-8'],
  ] as const)('"%s" of shape %j is refused', (token, shape, part, kind) => {
    expect(parsePageToken(token, shape)).toMatchObject({
      ok: false,
      refusal: { code: 'invalid_page_token', detail: { part }, message: expect.stringContaining(kind) },
    })
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('is never made of %s', (part) => {
    expect(() => formatPageToken([part])).toThrow(RangeError)
  })

  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('.', '%', '/', '+', ' ', '2', 'E', 'u', 'D', '8', '\ud800', '\udc00', ''),
    }),
  )
  const anyNumber = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, -1, 1e21, -1e-7, 2 ** 53),
  )
  const anyPart = fc.oneof(anyText, anyNumber, fc.boolean())
  const shapeOf = (key: KeysetKey): KeyShape =>
    key.map((part) => (typeof part === 'string' ? 'text' : typeof part === 'number' ? 'number' : 'boolean'))
  const plusZero = (key: KeysetKey): KeysetKey => key.map((part) => (part === 0 ? 0 : part))

  it('survives the way there and back for every key, and is safe in a header', () => {
    fc.assert(
      fc.property(fc.array(anyPart, { maxLength: 4 }), (key) => {
        const token = formatPageToken(key)
        expect(token).toMatch(/^[!-~]*$/)
        expect(token === '').toBe(key.length === 0)
        expect(parsed(token, shapeOf(key))).toEqual(plusZero(key))
      }),
      { numRuns: 2000 },
    )
  })

  it('of any kind of rows shows each row that stays once, while others come and go', () => {
    const item = fc.record({
      score: anyNumber,
      done: fc.boolean(),
      name: fc.constantFrom('', '.', 'ada.l', 'b', '%'),
    })
    type Item = { readonly score: number; readonly done: boolean; readonly name: string; readonly id: string }
    const sorts: Readonly<Record<string, (item: Item) => KeysetKey>> = {
      score: ({ score, id }) => [score, id],
      done: ({ done, score, id }) => [done, score, id],
      name: ({ name, id }) => [name, id],
      names: ({ done, name, id }) => [name, done, id],
    }
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 30 }),
        fc.array(item, { maxLength: 10 }),
        fc.array(fc.nat(40), { maxLength: 10 }),
        fc.constantFrom(...Object.keys(sorts)),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        fc.boolean(),
        (first, added, removed, sort, perPage, reverse, filtered) => {
          const keyOf = sorts[sort] as (item: Item) => KeysetKey
          const ordered = (items: readonly Item[]) =>
            items.toSorted((a, b) => compareKeysetKeys(keyOf(a), keyOf(b)) * (reverse ? -1 : 1))
          const initial = first.map((one, at): Item => ({ ...one, id: `${at}.${at % 3}` }))
          const gone = new Set(removed.map((at) => `${at}.${at % 3}`))
          const late = added.map((one, at): Item => ({ ...one, id: `late.${at}` }))
          const wanted = (one: Item) => !filtered || one.name !== 'b'
          let items = ordered(initial)
          const seen: string[] = []
          let token: string | undefined
          do {
            const page = keysetPage(
              [items],
              keyOf,
              {
                perPage,
                from:
                  token === undefined
                    ? undefined
                    : parsed(token, shapeOf(keyOf(items[0] ?? (initial[0] as Item)))),
                reverse,
              },
              (rows) => rows.filter(wanted),
            )
            seen.push(...page.rows.map(({ id }) => id))
            token = page.next && formatPageToken(page.next)
            items = ordered([...items.filter(({ id }) => !gone.has(id)), ...late.splice(0, 2)])
          } while (token !== undefined)
          expect(new Set(seen).size).toBe(seen.length)
          for (const one of initial) if (!gone.has(one.id)) expect(seen.includes(one.id)).toBe(wanted(one))
        },
      ),
    )
  })
})

function parsed(token: string, shape: KeyShape): KeysetKey {
  const answer = parsePageToken(token, shape)
  if (!answer.ok) throw new Error(answer.refusal.message)
  return answer.value
}
