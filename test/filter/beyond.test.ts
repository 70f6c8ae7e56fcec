import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { compile, explain, format, hints, parse, toSql, where } from '../../src/filter/index.ts'
import { datum, expression } from './arbitraries.ts'

interface Job {
  readonly Status: string
  readonly Priority: number
  readonly Tags: readonly string[]
  readonly Meta: Readonly<Record<string, string>>
  readonly Groups: readonly { readonly Name: string; readonly Count: number }[]
  readonly Stable: boolean
  readonly Submitted: Date
}

describe('the typed builder', () => {
  test('writes the canonical text, with everything quoted as it must be', () => {
    const filter = where<Job>()
      .eq('Status', 'say "hi"')
      .ne('Meta["region.zone"]', '/eu')
      .oneOf('Priority', [1, 2])
      .gt('Groups.Count', 3)
      .eq('Stable', true)
      .contains('Tags', 'a`b')
      .or(
        where<Job>().empty('Tags'),
        where<Job>().not(where<Job>().matches('Meta.team', '^a\\d$').lt('Priority', 5)),
      )
    expect(String(filter)).toBe(
      'Status == "say \\x22hi\\x22" and Meta["region.zone"] != `/eu` and Priority in [1, 2] and Groups.Count > 3 and Stable == true and "a`b" in Tags and (Tags is empty or not (Meta.team matches "^a\\\\d$" and Priority < 5))',
    )
    expect(format(parse(String(filter)))).toBe(String(filter))
    expect(() => compile(filter.expression)).not.toThrow()
  })

  test.each([
    ['null', null],
    ['undefined', undefined],
    ['[object Object]', {}],
    ['/^web/', /^web/],
    ['Invalid Date', new Date(Number.NaN)],
    ['NaN', Number.NaN],
    ['Symbol(web)', Symbol('web')],
    ['() => 1', () => 1],
  ])('refuses %s as a value, which programs without types can give', (name, value) => {
    const refusal = new TypeError(`${name} is not a value; for null use missing() and present()`)
    expect(() => where().eq('Name', value as never)).toThrow(refusal)
    expect(() => where().oneOf('Name', ['web', value as never])).toThrow(refusal)
    expect(() => where().matches('Name', value as never)).toThrow(refusal)
  })

  test('asks for null, and takes a list for a list only', () => {
    expect(String(where<Job>().nil('Submitted').notNil('Status'))).toBe(
      'Submitted is nil and Status is not nil',
    )
    expect(() => where<Job>().oneOf('Status', 'running' as never)).toThrow(
      new TypeError('a list of values is an array, not running'),
    )
  })

  test('never changes the filter it is called on', () => {
    const running = where<Job>().eq('Status', 'running')
    running.eq('Priority', 1)
    expect(String(running)).toBe('Status == "running"')
    expect(() => where<Job>().expression).toThrow(TypeError)
  })

  test('any text comes back as it was given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const source = String(where<{ Name: string }>().eq('Name', text))
        expect(compile(source).test({ Name: text })).toBe(true)
        expect(compile(source, { dialect: 'bexpr' }).test({ Name: text })).toBe(true)
      }),
    )
  })
})

describe('explain', () => {
  const decisive = (source: string, value: unknown) => {
    const { result, leaves } = explain(compile(source), value)
    return [
      result,
      leaves.filter((leaf) => leaf.decisive).map(({ text }) => text),
      leaves.map((leaf) => leaf.result),
    ]
  }
  const value = { a: 1, b: 2, c: 3 }

  test.each([
    ['a == 1 and b == 2', true, ['a == 1', 'b == 2'], [true, true]],
    ['a == 1 and b == 0 and c == 3', false, ['b == 0'], [true, false, null]],
    ['a == 0 or b == 2 or c == 3', true, ['b == 2'], [false, true, null]],
    ['a == 0 or b == 0', false, ['a == 0', 'b == 0'], [false, false]],
    ['not (a == 1 and b == 0) or c == 3', true, ['b == 0'], [true, false, null]],
  ])('%s', (source, result, texts, results) => {
    expect(decisive(source, value)).toEqual([result, texts, results])
  })

  test('answers as the filter does, and what it calls decisive decides', () => {
    fc.assert(
      fc.property(expression(true), datum, (tree, one) => {
        const filter = compile(format(tree), { limits: { matches: Infinity } })
        let wanted: boolean
        try {
          wanted = filter.test(one)
        } catch {
          expect(() => explain(filter, one)).toThrow()
          return
        }
        const { result, leaves } = explain(filter, one)
        expect(result).toBe(wanted)
        expect(leaves.some((leaf) => leaf.decisive)).toBe(true)
        for (const { text, span } of leaves) expect(filter.source.slice(span.start, span.end)).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('hints', () => {
  const Row = z.object({
    Status: z.string(),
    Name: z.string(),
    Priority: z.int(),
    Load: z.number(),
    Live: z.boolean(),
  })
  const of = (source: string) => hints(compile(source, { schema: Row }))

  test.each([
    ['Status == "running"', [{ path: 'Status', op: 'eq', values: ['running'] }]],
    [
      'Priority == "0x10" and Live == T',
      [
        { path: 'Priority', op: 'eq', values: [16] },
        { path: 'Live', op: 'eq', values: [true] },
      ],
    ],
    ['Status == a or Status in [b, c]', [{ path: 'Status', op: 'in', values: ['a', 'b', 'c'] }]],
    ['Status == a or Name == b', []],
    [
      'Name matches "^web-" and Status matches "^x$"',
      [
        { path: 'Name', op: 'prefix', values: ['web-'] },
        { path: 'Status', op: 'eq', values: ['x'] },
      ],
    ],
    [
      'Priority >= 10 and Load < 0.5 and Priority < 20',
      [
        { path: 'Priority', op: 'range', values: [10, 20] },
        { path: 'Load', op: 'range', values: [null, 0.5] },
      ],
    ],
    ['not Status == a and Status != b and Name contains c and Name == d ignoring case', []],
  ])('%s', (source, expected) => {
    expect(of(source)).toEqual(expected)
  })

  test('are true of every row that passes', () => {
    const row = fc.record({
      Status: fc.constantFrom('a', 'b', 'ab'),
      Name: fc.constantFrom('a', 'ab', 'b'),
      Priority: fc.integer({ min: 0, max: 3 }),
      Load: fc.constantFrom(0, 0.5, 1),
      Live: fc.boolean(),
    })
    const leaf = fc.constantFrom(
      'Status == a',
      'Status in [a, b]',
      'Name matches "^a"',
      'Priority > 1',
      'Priority <= 2',
      'Load == 0.5',
      'Live == true',
      'Status != b',
    )
    const source = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc
          .tuple(tie('node'), fc.constantFrom('and', 'or'), tie('node'))
          .map(([a, op, b]) => `(${a} ${op} ${b})`),
      ),
    })).node
    fc.assert(
      fc.property(source, fc.array(row, { minLength: 5, maxLength: 20 }), (text, rows) => {
        const filter = compile(text, { schema: Row })
        for (const one of filter.select(rows)) {
          for (const { path, op, values } of hints(filter)) {
            const found: unknown = Reflect.get(one, path)
            const [first, last] = values
            if (op === 'eq' || op === 'in') expect(values).toContain(found)
            else if (op === 'prefix') expect(String(found).startsWith(String(first))).toBe(true)
            else
              expect(
                (first === null || Number(found) >= Number(first)) &&
                  (last === null || Number(found) <= Number(last)),
              ).toBe(true)
          }
        }
      }),
    )
  })
})

test('what looks into filters takes filters, and says so of a text', () => {
  const text = 'A == 1' as never
  for (const look of [
    () => explain(text, {}),
    () => hints(text),
    () => toSql(text, { columns: {}, dialect: 'sqlite' }),
  ])
    expect(look).toThrow('expected a filter of compile(), not its text')
})
