import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { closureOf } from '../../src/filter/evaluating/closures.ts'
import { knownPatterns } from '../../src/filter/evaluating/patterns.ts'
import { Work } from '../../src/filter/evaluating/work.ts'
import { sourceOf } from '../../src/filter/generating/codegen.ts'
import { check, compile, FilterError, format, parse } from '../../src/filter/index.ts'
import { ownScalars } from '../../src/filter/kinds/scalars.ts'
import { anyShape } from '../../src/filter/kinds/shape.ts'
import { compileRegex } from '../../src/filter/regex/index.ts'

const kindOf = (run: () => unknown): string | undefined => {
  try {
    run()
  } catch (error) {
    if (error instanceof FilterError) return error.kind
    throw error
  }
  return undefined
}

const evaluators = ['closures', 'codegen', 'auto'] as const

describe.each(evaluators)("data is an object's own, by %s", (evaluator) => {
  const run = (source: string, datum: unknown) => compile(source, { evaluator }).test(datum)

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'length'])(
    '%s is nothing special',
    (name) => {
      const source = name.startsWith('_') ? `Meta["${name}"] == x` : `${name} == x`
      const datum = (value: string) =>
        JSON.parse(name.startsWith('_') ? `{"Meta":{"${name}":"${value}"}}` : `{"${name}":"${value}"}`)
      expect(run(source, datum('x'))).toBe(true)
      expect(run(source, datum('y'))).toBe(false)
      if (!name.startsWith('_')) expect(kindOf(() => run(source, {}))).toBe('not-found')
      expect(run(`Meta["${name}"] is empty and "${name}" not in Meta`, { Meta: {} })).toBe(true)
    },
  )

  test('what a prototype says is not there', () => {
    expect(kindOf(() => run('Status == "x"', Object.create({ Status: 'x' })))).toBe('not-found')
    expect(kindOf(() => run('Meta.team == x', { Meta: Object.create({ team: 'x' }) }))).toBe('not-found')
    expect(run('Meta.team == x', { Meta: Object.create(null, { team: { value: 'x' } }) })).toBe(true)
  })

  test('nor are properties added to Object.prototype', () => {
    const filter = compile('Leak == "x" or Meta.Leak == "x"', { evaluator })
    try {
      Reflect.set(Object.prototype, 'Leak', 'x')
      expect(kindOf(() => filter.test({ Meta: {} }))).toBe('not-found')
      expect(run('Meta.Leak == "x"', { Meta: {} })).toBe(false)
    } finally {
      Reflect.deleteProperty(Object.prototype, 'Leak')
    }
  })

  test('a hole in the array is not a row, and rows added meanwhile are not tested', () => {
    const filter = compile<{ a: string }>('a == x', { evaluator })
    const row = { a: 'x' }
    const holes: { a: string }[] = [row]
    holes[2] = row
    expect(kindOf(() => filter.select(holes))).toBe('not-indexable')
    const growing: { a: string }[] = []
    growing.push({
      get a() {
        if (growing.length < 100) growing.push(row)
        return 'x'
      },
    })
    expect(filter.select(growing)).toHaveLength(1)
  })

  test('rows that are no array are refused, for none of them would be selected', () => {
    const row = { a: 'x' }
    for (const rows of [
      new Set([row]),
      new Map([[0, row]]),
      [row].values(),
      { length: 1, 0: row },
      'x',
      undefined,
    ]) {
      const filter = compile<{ a: string }>('a == x', { evaluator })
      expect(() => filter.select(rows as never)).toThrow(new TypeError('select takes an array of rows'))
    }
  })

  test('a list has no fields', () => {
    expect(kindOf(() => run('Tags.length == 1', { Tags: ['a'] }))).toBe('not-indexable')
  })
})

test.each([undefined, null, 5])('%s is no expression', (expression) => {
  expect(() => compile(expression as unknown as string)).toThrow(
    `a filter expression is a string, or a result of parse(), not ${String(expression)}`,
  )
})

describe('limits', () => {
  test.each([
    ['100,000 parentheses', `${'('.repeat(100_000)}a == 1${')'.repeat(100_000)}`, {}],
    [
      '100,000 parentheses in a text that may be long',
      `${'('.repeat(100_000)}a == 1${')'.repeat(100_000)}`,
      { length: 1e6 },
    ],
    ['a megabyte', `a == "${'x'.repeat(1_000_000)}"`, {}],
    ['201 negations', `${'not '.repeat(201)}a == 1`, {}],
    ['201 quantifiers', `${'any a as b { '.repeat(201)}b == 1${' }'.repeat(201)}`, {}],
    ['1,001 comparisons', Array.from({ length: 1001 }, () => 'a==1').join(' or '), {}],
    [
      'nesting past any stack',
      `${'('.repeat(200_000)}a == 1${')'.repeat(200_000)}`,
      { length: 1e6, depth: 1e6 },
    ],
  ] as const)('%s is refused as such', (_, source, limits) => {
    expect(kindOf(() => compile(source, { limits }))).toBe('limit')
    expect(kindOf(() => compile(source, { limits, dialect: 'bexpr' }))).toBe('limit')
  })

  test.each(['length', 'depth', 'matches', 'steps'] as const)(
    'a %s that is no number limits nothing, and is refused',
    (name) => {
      // Steps become a part of generated code.
      for (const most of [Number.NaN, -1, '5', '9; globalThis.pwned = 1', null, {}]) {
        const options = { limits: { [name]: most as number } }
        for (const evaluator of evaluators)
          for (const expression of ['a == 1', parse('a == 1')])
            expect(() => compile(expression, { evaluator, ...options })).toThrow(
              new RangeError(`limits.${name} is ${most}: pass a number, 0 or more`),
            )
        expect(() => parse('a == 1', options)).toThrow(RangeError)
        expect(() => check('a == 1', z.object({ a: z.int() }), options)).toThrow(RangeError)
      }
      expect(compile('a == 1', { limits: { [name]: Number.POSITIVE_INFINITY } }).test({ a: 1 })).toBe(true)
    },
  )

  test.each([
    ['a == 1 and ((a == 1))', 12],
    ['not not a == 1', 4],
    ['(any a as b { b == 1 })', 12],
    ['(not a == 1)', 1],
  ])('%s: the first that is too deep has the mark', (source, start) => {
    const read = () => parse(source, { limits: { depth: 1 } })
    expect(read).toThrow('nested more than 1 levels deep')
    try {
      read()
    } catch (error) {
      expect(error).toMatchObject({ span: { start, end: start + 1 } })
    }
  })

  describe.each(evaluators)('a row is a budget of steps, by %s', (evaluator) => {
    const Tags = Array.from({ length: 3000 }, (_, at) => `tag-${at}`)
    const Groups = Tags.map((Name, Count) => ({ Name, Count, Min: -1 - Count, Ports: [Count, -Count] }))
    const Text = 'a'.repeat(1e6)
    const row = { Tags, Groups, Text, Meta: { least: 5 } }
    const run = (source: string, limits = {}) => compile(source, { evaluator, limits }).test(row)

    test.each([
      'any Tags as a { a == x }',
      'any Groups as g { g.Name == x and g.Name matches "^a" }',
      'any Tags as a { Meta is empty }',
      'any Tags as a { a in [x, y, z] }',
      'any Groups as g { any g.Ports as p { p == -1 } }',
      'Groups.Ports contains 5000',
      'Text matches "(a|b)*c"',
      'Text contains "b" or Text starts with "b" ignoring case',
      'x in Tags or Groups.Count == 9999 or Tags contains "X" ignoring case',
      // Each side is gone through once, for one is hashed.
      'Groups.Count == @Groups.Min',
      'Groups.Name == @Groups.Ports or Groups.Count == 0',
    ])('%s goes through the row', (source) => {
      expect(() => {
        try {
          run(source)
        } catch (error) {
          if (!(error instanceof FilterError) || error.kind !== 'type') throw error
        }
      }).not.toThrow()
    })

    test.each([
      ['any Tags as a { any Tags as b { b == x } }', 'any Tags as b { b == x }'],
      ['any Tags as a { x in Tags }', 'x in Tags'],
      ['any Tags as a { Groups.Count == -1 }', 'Groups.Count'],
      ['Groups.Count < @Groups.Min', undefined],
      ['any Tags as a { Text contains "b" }', 'Text contains "b"'],
      ['any Tags as a { Text == "B" ignoring case or Text contains "B" ignoring case }', undefined],
      ['any Tags as a { Text matches "c" }', 'Text matches "c"'],
      ['any Tags { any Tags { any Tags { @ == x } } }', 'any Tags { @ == x }'],
      ['none Groups as g { g.Name in [a, b] or any Groups as h { h.Name == "" } }', undefined],
    ])('%s is refused where it takes too much', (source, place) => {
      try {
        run(source)
        expect.unreachable('it was answered')
      } catch (error) {
        if (!(error instanceof FilterError)) throw error
        expect(error.kind).toBe('limit')
        const { start, end } = error.span
        if (place !== undefined) expect(source.slice(start, end)).toBe(place)
        expect(error.message).toContain(source.slice(start, Math.min(end, start + 60)))
        expect(error.message).toContain('more than 1200000 steps')
      }
    })

    test('pairs and triples of a few cost little on any text', () => {
      const few = { Tags: ['web', 'gpu'], Groups: Groups.slice(0, 3) }
      const small = (source: string) => compile(source, { evaluator }).test(few)
      expect(small('any Tags as a { any Tags as b { a == web and b == gpu } }')).toBe(true)
      expect(small('any Tags as a { any Tags as b { any Tags as c { c == web } } }')).toBe(true)
      expect(small('any Groups as g { g.Name == tag-1 and g.Name matches "^t" }')).toBe(true)
      expect(small('any Groups as g { Tags is not empty and g.Count in [2, 3] }')).toBe(true)
    })

    test('every row has a budget of its own', () => {
      const filter = compile<{ Tags: readonly string[] }>('x in Tags', { evaluator, limits: { steps: 10 } })
      const rows = Array.from({ length: 1000 }, () => ({ Tags: Tags.slice(0, 10) }))
      expect(filter.select(rows)).toEqual([])
      expect(rows.some(filter.test)).toBe(false)
      expect(kindOf(() => filter.test({ Tags: Tags.slice(0, 11) }))).toBe('limit')
      expect(filter.select(rows)).toEqual([])
    })
  })

  test('what is within them works', () => {
    const nested = `${'('.repeat(200)}a == 1${')'.repeat(200)}`
    expect(compile(nested).test({ a: 1 })).toBe(true)
    expect(compile(`${'not '.repeat(200)}a == 1`).test({ a: 1 })).toBe(true)
    const chain = Array.from({ length: 1000 }, (_, at) => `a==${at}`).join(' or ')
    expect(compile(chain, { evaluator: 'codegen', limits: { length: 20_000 } }).test({ a: 999 })).toBe(true)
    expect(
      compile('Text == "((((" or Text == `not not not`', { limits: { depth: 1 } }).test({ Text: '((((' }),
    ).toBe(true)
    // A field called `not` nests nothing.
    const names = Array.from({ length: 200 }, () => 'not == 1 and (not != 2)').join(' and ')
    for (const dialect of ['standard', 'bexpr'] as const)
      expect(compile(names, { dialect, limits: { depth: 2 } }).test({ not: 1 })).toBe(true)
  })
})

describe('generated code', () => {
  const context = (source: string) => ({
    source,
    patterns: knownPatterns(compileRegex),
    standard: true,
    scalars: ownScalars,
    unknown: undefined,
    missing: 'error' as const,
    shape: anyShape,
    now: Date.now,
    work: new Work(1000, source),
    parameters: {},
  })

  test('holds what people wrote only as JSON literals', () => {
    const plain = sourceOf(parse('Meta.plain == "word"'), context('')).source.replace(
      /"(?:[^"\\]|\\.)*"/gs,
      '""',
    )
    const payload = '`+(globalThis.pwned=1)+"\\\u2028${1}//*/'
    fc.assert(
      fc.property(fc.oneof(fc.constant(payload), fc.string({ unit: 'binary' })), (written) => {
        // What could be a number or a boolean is compared as one, too.
        const text = `?${written}`
        const value = { type: 'value', form: 'string', text, start: 0, end: 0 } as const
        const path = ['Meta', text]
        const source = format({
          type: 'match',
          selector: { path, start: 0, end: 0 },
          op: '==',
          negated: false,
          operand: value,
          ignoreCase: false,
          start: 0,
          end: 0,
        })
        const tree = parse(source)
        const generated = sourceOf(tree, context(source)).source
        // Without its string literals nothing is left of what was written.
        const code = generated.replace(/"(?:[^"\\]|\\.)*"/gs, '""')
        expect(code).toBe(plain)
        expect(compile(source, { evaluator: 'codegen' }).test({ Meta: { [text]: text } })).toBe(true)
      }),
    )
    expect(Reflect.get(globalThis, 'pwned')).toBe(undefined)
  })

  afterEach(() => vi.unstubAllGlobals())

  test('is not needed: where a host forbids it, auto stays with closures', () => {
    vi.stubGlobal('Function', function refuse() {
      throw new EvalError('Refused to evaluate a string as JavaScript')
    })
    const filter = compile<{ a: number }>('a == 1')
    const rows = Array.from({ length: 2000 }, (_, a) => ({ a }))
    expect(filter.select(rows)).toEqual([{ a: 1 }])
    expect(rows.filter((row) => filter.test(row))).toEqual([{ a: 1 }])
    expect(() => compile('a == 1', { evaluator: 'codegen' })).toThrow(EvalError)
  })

  test('takes over without a visible seam', () => {
    const filter = Object.freeze(compile<{ a: number }>('a == 1'))
    const { test: detached } = compile<{ a: number }>('a == 1')
    for (let a = 0; a < 2000; a += 1) {
      expect(filter.test({ a })).toBe(a === 1)
      expect(detached({ a })).toBe(a === 1)
    }
  })
})

test('no expression takes the general tests out of step with the fast ones', () => {
  // A datum that is not plain goes another way through the same closures.
  const tree = parse('Tags contains web and Meta.team == infra')
  const general = closureOf(tree, {
    source: '',
    patterns: knownPatterns(compileRegex),
    standard: true,
    scalars: ownScalars,
    unknown: undefined,
    missing: 'error' as const,
    shape: anyShape,
    now: Date.now,
    work: new Work(1000, ''),
    parameters: {},
  })
  const datum = { Tags: ['web'], Meta: { team: 'infra' } }
  expect(general(Object.assign(new (class Row {})(), datum), undefined)).toBe(true)
})
