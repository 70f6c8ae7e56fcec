import fc from 'fast-check'
import { LogicEngine } from 'json-logic-engine'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compile, FilterError, parse } from '../../../src/filter/index.ts'
import { fromJsonLogic } from '../../../src/filter/json-logic/index.ts'
import { runs } from '../../runs.ts'

const Job = z.object({
  Status: z.string(),
  Owner: z.string().optional(),
  Priority: z.number(),
  Live: z.boolean(),
  Tags: z.array(z.string()),
  Meta: z.object({ team: z.string().optional() }),
  Groups: z.array(z.object({ Name: z.string(), Count: z.number(), Ports: z.array(z.number()) })),
})

const words = ['a', 'ab', '', "it's", '"', '/a', '1', 'true', 'null', 'é😀'] as const
const word = fc.constantFrom(...words)
const number = fc.constantFrom(-1.5, -1, 0, 1, 2, 80, 1e21, 1e-7)
const job = fc.record(
  {
    Status: word,
    Owner: word,
    Priority: number,
    Live: fc.boolean(),
    Tags: fc.array(word, { maxLength: 3 }),
    Meta: fc.record({ team: word }, { requiredKeys: [] }),
    Groups: fc.array(fc.record({ Name: word, Count: number, Ports: fc.array(number, { maxLength: 2 }) }), {
      maxLength: 3,
    }),
  },
  { requiredKeys: ['Status', 'Priority', 'Live', 'Tags', 'Meta', 'Groups'] },
)
const jobs = fc.sample(job, { numRuns: 100, seed: 5 })

const equality = fc.constantFrom('==', '===', '!=', '!==')
const order = fc.constantFrom('<', '<=', '>', '>=')
const pair = (operator: fc.Arbitrary<string>, field: fc.Arbitrary<unknown>, value: fc.Arbitrary<unknown>) =>
  fc
    .tuple(operator, field, value, fc.boolean())
    .map(([name, left, right, isMirrored]) => ({ [name]: isMirrored ? [right, left] : [left, right] }))
const field = (...names: readonly (string | number)[]) =>
  fc.constantFrom(...names.map((name) => ({ var: name })))

/** Conditions on strings, of which the first is never missing, numbers and lists of a row or of an element. */
const leaves = (texts: readonly string[], numbers: readonly string[], lists: readonly string[]) => [
  pair(equality, field(...texts), fc.oneof(word, field(...texts.slice(0, 1)))),
  fc.tuple(field(...texts), fc.array(word, { maxLength: 3 })).map((both) => ({ in: both })),
  fc.tuple(fc.oneof(word, field(...texts)), field(...texts)).map((both) => ({ in: both })),
  pair(equality, field(...numbers), number),
  pair(order, field(...numbers), fc.oneof(number, field(...numbers))),
  fc
    .tuple(order, number, field(...numbers), number)
    .map(([name, least, of, most]) => ({ [name]: [least, of, most] })),
  ...lists.map((list) => number.map((one) => ({ in: [one, { var: list }] }))),
]
const groups = fc.oneof(
  ...leaves(['Name'], ['Count'], ['Ports']),
  fc
    .tuple(fc.constantFrom('some', 'all', 'none'), order, number)
    .map(([many, name, least]) => ({ [many]: [{ var: 'Ports' }, { [name]: [{ var: '' }, least] }] })),
)
const leaf: fc.Arbitrary<unknown> = fc.oneof(
  ...leaves(['Status', 'Owner', 'Meta.team'], ['Priority'], []),
  fc.tuple(word, field('Tags')).map((both) => ({ in: both })),
  field('Live'),
  field('Live').map((live) => ({ '!!': [live] })),
  field('Live').map((live) => ({ '!': live })),
  pair(equality, field('Live'), fc.boolean()),
  pair(fc.constantFrom('===', '!=='), field('Owner', 'Meta.team', 'Status'), fc.constant(null)),
  fc
    .subarray(['Owner', 'Meta.team', 'Status', 'Gone'], { minLength: 1 })
    .map((names) => ({ missing: names.length === 1 ? names[0] : names })),
  fc
    .tuple(fc.constantFrom('some', 'all', 'none'), groups)
    .map(([many, body]) => ({ [many]: [{ var: 'Groups' }, body] })),
  fc
    .tuple(fc.constantFrom('some', 'all', 'none'), equality, word)
    .map(([many, name, value]) => ({ [many]: [{ var: 'Tags' }, { [name]: [{ var: '' }, value] }] })),
)
const { rule } = fc.letrec<{ rule: unknown }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('rule'), { minLength: 1, maxLength: 3 }))
      .map(([name, parts]) => ({ [name]: parts })),
    tie('rule').map((one) => ({ '!': [one] })),
  ),
}))

describe('a rule of JsonLogic as a filter', () => {
  it('selects the rows that json-logic-engine selects', () => {
    const engine = new LogicEngine()
    // Its own does not find the empty string in itself, and finds a missing one in "null".
    engine.addMethod('in', ([part, whole]: [string | null, string[] | string | null]) => {
      return whole === '' ? part === '' : part !== null && (whole?.includes(part) ?? false)
    })
    fc.assert(
      fc.property(rule, (given) => {
        const filter = compile<(typeof jobs)[number]>(fromJsonLogic(given), { missing: 'null' })
        for (const row of jobs) {
          if (filter.test(row) !== Boolean(engine.truthy(engine.run(given, row))))
            throw new Error(`${JSON.stringify(given)} and ${filter.source} differ on ${JSON.stringify(row)}`)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  it('fits the schema that its values fit', () => {
    const text = fromJsonLogic({ and: [{ in: ['web', { var: 'Tags' }] }, { missing: ['Owner'] }] })
    expect(text).toBe('"web" in Tags and Owner is missing')
    expect(() => compile(text, { schema: Job })).not.toThrow()
  })

  it('becomes a text that can be read, or is refused, for any JSON', () => {
    const names = fc.constantFrom(
      ...[
        'and',
        'or',
        '!',
        '!!',
        'var',
        'missing',
        'in',
        'some',
        'all',
        'none',
        '==',
        '!==',
        '<',
        'constructor',
        '+',
      ],
    )
    const fields = fc.constantFrom(
      'a',
      'a.b',
      '',
      '@',
      '@.x',
      '0',
      'a..b',
      '../a',
      '.a',
      'not',
      '__proto__',
      'x y',
      '~/',
      '\n',
    )
    const { json } = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.jsonValue({ maxDepth: 1 }),
        fields.map((name) => ({ var: name })),
        fc.tuple(names, tie('json')).map(([name, one]) => ({ [name]: one })),
        fc.tuple(names, tie('json'), tie('json')).map(([name, one, two]) => ({ [name]: [one, two] })),
      ),
    }))
    let read = 0
    fc.assert(
      fc.property(json, (given) => {
        try {
          parse(fromJsonLogic(given))
          read += 1
        } catch (error) {
          expect(error).toBeInstanceOf(FilterError)
        }
      }),
      { numRuns: 5000 },
    )
    expect(read).toBeGreaterThan(50)
  })

  it.each([
    [
      { and: [{ '>': [{ '+': [{ var: 'A' }, 1] }, 2] }] },
      'a filter has no counterpart of "+" in a comparison, at /and/0/>/0/+ of the rule',
    ],
    [{ if: [true, false] }, 'a filter has no counterpart of "if", at /if of the rule'],
    [{ '!': [{ '/': [1, 2] }] }, 'a filter has no counterpart of "/", at /!/0/~1 of the rule'],
    [true, 'a condition is an object with one operator, at / of the rule'],
    [{ '==': [1, 1] }, 'a comparison needs a field, {"var": name}, at /==/0 of the rule'],
    [
      { '==': [{ var: ['A', 5] }, 1] },
      'a field is {"var": name}, without a default, at /==/0/var of the rule',
    ],
    [{ '<': [{ var: 'A' }, null] }, 'a value is a string, a number or a boolean, at /</1 of the rule'],
    [{ in: [{ var: 'A' }, [1, [2]]] }, 'a value is a string, a number or a boolean, at /in/1/1 of the rule'],
    [{ '!=': [{ var: 'A' }] }, '"!=" has 1 arguments, at /!= of the rule'],
  ])('refuses %j with the operator and its place', (given, message) => {
    expect(() => fromJsonLogic(given)).toThrow(message)
  })

  it('marks the operator that it refuses', () => {
    let refused: unknown
    try {
      fromJsonLogic({ and: [{ cat: ['a', 'b'] }] })
    } catch (error) {
      refused = error
    }
    expect(refused instanceof FilterError && refused.caret()).toBe('/and/0/cat\n       ^^^')
  })

  it('refuses a rule that is nested too deeply', () => {
    let deep: unknown = { var: 'A' }
    for (let level = 0; level < 100_000; level++) deep = { '!': deep }
    expect(() => fromJsonLogic(deep)).toThrow('the rule is nested more than 200 levels deep')
  })
})
