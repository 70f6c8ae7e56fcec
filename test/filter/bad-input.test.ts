import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contextOf } from '../../src/filter/compiling/context-of.ts'
import { compile, type Dialect, type Filter, FilterError } from '../../src/filter/index.ts'

/** Rows that someone made to take long: long lists, long strings, large maps, deep nests. */
const rows: Readonly<Record<string, unknown>> = {
  lists: { A: Array.from({ length: 20_000 }, (_, at) => at), B: 'b', C: { c: 1 } },
  objects: { A: Array.from({ length: 20_000 }, () => ({ B: 'ab', C: [1, 2, 3] })), B: '', C: {} },
  strings: { A: 'ab'.repeat(500_000), B: 'a'.repeat(1_000_000), C: { c: `${'a'.repeat(999_999)}!` } },
  maps: { A: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 'v'])), B: 1, C: null },
  nests: { A: Array.from({ length: 200 }).reduce<unknown>((inner) => [inner], 'x'), B: [], C: [[[]]] },
}

const patterns = fc.oneof(
  fc.constantFrom(
    '(a+)+$',
    '(a|a)*b',
    '(a*)*c',
    '(.*)(.*)(.*)x',
    'a[ab]{600}c',
    '((a{10}){10}){10}',
    '(?i)(ab|ba)*$',
  ),
  fc
    .tuple(fc.constantFrom('a', '[ab]', '(a|b)', '.', '\\w'), fc.integer({ min: 1, max: 1000 }))
    .map(([of, copies]) => `${of}{${copies}}c`),
  fc.string({ maxLength: 30 }).filter((text) => !/["\\\n`]/.test(text)),
)

const path = fc.constantFrom('A', 'B', 'C', 'A.B', 'A.C', 'C.c', 'x', 'y', 'z', 'x.B')
const needle = fc.constantFrom('a', `${'ab'.repeat(200)}c`, 'b', '1', 'now')
const test = fc.oneof(
  fc.tuple(path, patterns).map(([at, pattern]) => `${at} matches \`${pattern}\``),
  fc.tuple(path, needle).map(([at, text]) => `${at} contains "${text}" ignoring case`),
  fc.tuple(path, needle).map(([at, text]) => `"${text}" in ${at}`),
  fc.tuple(path, path).map(([left, right]) => `${left} == @${right}`),
  fc.tuple(path, path).map(([left, right]) => `${left} contains @${right}`),
  path.map((at) => `${at} is not empty`),
  path.map((at) => `count ${at} > 20000`),
  fc.tuple(path, patterns).map(([at, pattern]) => `${at} matches \`${pattern}\` ignoring case`),
  fc
    .tuple(path, fc.constantFrom('starts with', 'ends with'), needle)
    .map(([at, word, text]) => `${at} not ${word} "${text}" ignoring case`),
  fc
    .tuple(path, fc.integer({ min: 0, max: 1500 }))
    .map(
      ([at, values]) => `${at} in [${Array.from({ length: values }, (_, value) => `k${value}`).join(', ')}]`,
    ),
  path.map((at) => `${at} between now - 1h and now`),
)
const { node: expression } = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 6 },
    test,
    fc
      .tuple(fc.constantFrom('any', 'all', 'none'), path, fc.constantFrom('x', 'y', 'z'), tie('node'))
      .map(([word, over, name, body]) => `${word} ${over} as ${name} { ${body} }`),
    fc
      .tuple(tie('node'), fc.constantFrom(' and ', ' or '), fc.integer({ min: 2, max: 40 }))
      .map(([part, word, times]) => `(${Array.from({ length: times }, () => part).join(word)})`),
    fc
      .tuple(tie('node'), fc.integer({ min: 1, max: 210 }))
      .map(([inner, levels]) => 'not ('.repeat(levels) + inner + ')'.repeat(levels)),
  ),
}))
/** The ways to ask a filter: of one row, of rows, and of rows that stay. */
const ask: Readonly<Record<string, (filter: Filter<unknown>, row: unknown) => boolean>> = {
  test: (filter, row) => filter.test(row),
  select: (filter, row) => filter.select([row, row]).length === 2,
  over: (filter, row) => filter.over([row, row]).count() === 2,
}

const text = fc.oneof(
  { weight: 9, arbitrary: expression },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
)

/** What is spent at once at most: one string, or one list, of a row of 1 MB. */
const budget = 1_100_000

describe('any text on any row', () => {
  it.each(['closures', 'codegen'] as const)('ends within the budget of the row, by %s', (evaluator) => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(
        text,
        fc.constantFrom<Dialect>('standard', 'standard', 'standard', 'bexpr'),
        fc.constantFrom(...Object.keys(rows)),
        fc.constantFrom(...Object.keys(ask)),
        (source, dialect, name, way) => {
          try {
            const filter = compile(source, { evaluator, dialect })
            const { work } = contextOf(filter)
            try {
              seen.add(String(ask[way]?.(filter, rows[name])))
            } finally {
              expect(work.left).toBeGreaterThan(-budget)
            }
          } catch (error) {
            if (!(error instanceof FilterError)) throw error
            seen.add(error.kind)
          }
        },
      ),
      { numRuns: 300 },
    )
    expect([...seen]).toEqual(
      expect.arrayContaining(['true', 'false', 'parse', 'limit', 'not-found', 'type']),
    )
  })

  it('ends where 20,000 elements meet in triples', () => {
    const triples = 'any A as x { any A as y { any A as z { x == @y and y == @z and z == -1 } } }'
    expect(() => compile(triples).test(rows['lists'])).toThrow(/one row takes more than 1200000 steps/)
  })
})

describe('patterns that are large together', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => `A matches "^n(a|b${at}){1000}$"`).join(' or ')

  it('are refused before a row is seen, with the one that is too much', () => {
    const source = many(200)
    const refused = (() => {
      try {
        return compile(source)
      } catch (error) {
        return error
      }
    })()
    expect(refused).toMatchObject({ kind: 'limit' })
    expect(refused).toHaveProperty('message', expect.stringContaining('places in total, more than 150000'))
    const { start, end } = (refused as FilterError).span
    expect(source.slice(start, end)).toMatch(/^A matches "\^n\(a\|b\d+\)\{1000\}\$"$/)
    expect(compile(many(20)).test({ A: 'na' })).toBe(false)
  })

  it('may be larger where a row may take more', () => {
    const source = many(20)
    expect(() => compile(source, { limits: { steps: 100_000 } })).toThrow(FilterError)
    expect(compile(source, { limits: { steps: 1_000_000 } }).test({ A: 'nb' })).toBe(false)
  })

  it('are refused by the first row in bexpr, which reads patterns there', () => {
    const options = { dialect: 'bexpr', limits: { steps: 100_000 } } as const
    expect(() => compile(many(20), options).test({ A: 'x' })).toThrow(/places in total/)
  })

  it('count once where one is written often', () => {
    const source = Array.from({ length: 100 }, () => 'A matches "^n(a|b){900}[c-z]$"').join(' or ')
    expect(compile(source, { limits: { steps: 100_000 } }).test({ A: 'x' })).toBe(false)
  })
})
