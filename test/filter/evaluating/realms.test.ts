import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { columns, compile, explain, FilterError, where } from '../../../src/filter/index.ts'

/** The same row, as this realm makes it and as another one does. */
const text = `({
  Name: 'web',
  Count: 3,
  At: new Date(Date.UTC(2026, 0, 1)),
  Labels: new Map([['team', 'a'], ['tier', '1']]),
  Meta: { owner: 'ada', deep: { list: [1, 2, { a: 'x' }], at: new Date(0) } },
  Bytes: new Uint8Array([104, 105]),
  Tags: ['blue', 'green'],
  Empty: {}, EmptyMap: new Map(), EmptyBytes: new Uint8Array(0),
  Bare: Object.assign(Object.create(null), { a: 1 }),
  Ports: new Map([[1, { open: true }]]),
  Of: new (class Job { constructor() { this.ID = 'j' } })(),
})`
const own: object = new Function(`return ${text}`)()
const foreign: object = runInNewContext(text)

const expressions = [
  'Name == "web"',
  'Count > 2',
  'At > "2025-01-01T00:00:00Z"',
  'At == "2026-01-01T00:00:00Z"',
  'At < now',
  'Labels.team == "a"',
  'Labels["tier"] == "1"',
  '"team" in Labels',
  'Labels contains "none"',
  'Labels is not empty',
  'Labels.none == "a"',
  'Meta.owner == "ada"',
  'Meta.none == "ada"',
  '"owner" in Meta',
  'Meta.deep.list.0 == 1',
  'Meta.deep.at < "2026-01-01T00:00:00Z"',
  'Meta is empty',
  'Bytes matches "^hi$"',
  'Bytes is empty',
  'Bytes contains "104"',
  'count Bytes == 2',
  '"blue" in Tags',
  'any Tags as tag { tag == "green" }',
  'count Tags > 1',
  'any Labels as name, value { value == "1" }',
  'all Meta as name { name != "x" }',
  'Empty is empty',
  'EmptyMap is empty',
  'EmptyBytes is empty',
  'Bare.a == 1',
  'Ports.1.open == true',
  'Of.ID == "j"',
  'Of.none == "j"',
  'At.time == 1',
  'Name matches "^w" and Meta.owner != "bob"',
  'Labels == "a"',
  'At is nil',
]

const answerOf = (ask: () => unknown) => {
  try {
    return ask()
  } catch (error) {
    return error instanceof FilterError ? `${error.kind}: ${error.message}` : error
  }
}

describe('a row of another realm', () => {
  it.each(['standard', 'bexpr'] as const)('is filtered as one of its own, in %s', (dialect) => {
    const answers: unknown[] = []
    for (const expression of expressions) {
      let filter: ReturnType<typeof compile>
      try {
        filter = compile(expression, { dialect })
      } catch {
        continue
      }
      const expected = answerOf(() => filter.test(own))
      answers.push(expected)
      expect([expression, answerOf(() => filter.test(foreign))]).toEqual([expression, expected])
      // Generated code, after some thousand rows.
      const many = (row: object) => answerOf(() => filter.select(Array(3_000).fill(row)).length)
      expect([expression, many(foreign)]).toEqual([expression, many(own)])
      const over = (row: object) => answerOf(() => filter.over(columns(Array(100).fill(row))).count())
      expect([expression, over(foreign)]).toEqual([expression, over(own)])
      expect(answerOf(() => explain(filter, foreign))).toEqual(answerOf(() => explain(filter, own)))
    }
    expect(answers.filter((answer) => answer === true).length).toBeGreaterThan(12)
    expect(answers.filter((answer) => answer === false).length).toBeGreaterThan(3)
  })

  it('has its values counted by facets', () => {
    const counts = (row: object) => [...compile('Count > 0').over([row]).facet('Meta.owner')]
    expect(counts(foreign)).toEqual(counts(own))
    const dates = (row: object) => [...compile('Count > 0').over([row]).facet('At')]
    expect(dates(foreign)).toEqual(dates(own))
  })

  it('gives parameters and built expressions their dates', () => {
    const at: Date = runInNewContext('new Date(Date.UTC(2025, 0, 1))')
    expect(
      compile('At > $since', { parameters: { since: 'time' } })
        .bind({ since: at })
        .test(own),
    ).toBe(true)
    expect(compile(where<{ At: Date }>().gt('At', at).expression).test(own as { At: Date })).toBe(true)
  })

  it('of a class, or without a prototype of its own, is as in this realm', () => {
    for (const make of ['new (class A { x = 1 })()', 'Object.create({ x: 1 })', 'new Set([1])', '/x/']) {
      const filter = compile('x == 1')
      expect([make, answerOf(() => filter.test(runInNewContext(make)))]).toEqual([
        make,
        answerOf(() => filter.test(new Function(`return ${make}`)())),
      ])
    }
  })
})
