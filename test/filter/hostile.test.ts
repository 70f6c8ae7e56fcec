import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { closureOf } from '../../src/filter/closures.ts'
import { sourceOf } from '../../src/filter/codegen.ts'
import { compile, FilterError, format, parse } from '../../src/filter/index.ts'
import { knownPatterns } from '../../src/filter/patterns.ts'
import { compileRegex } from '../../src/filter/regex/index.ts'
import { ownScalars } from '../../src/filter/scalars.ts'
import { anyShape } from '../../src/filter/shape.ts'

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

  test('nor is what somebody adds to every object', () => {
    const filter = compile('Leak == "x" or Meta.Leak == "x"', { evaluator })
    try {
      Reflect.set(Object.prototype, 'Leak', 'x')
      expect(kindOf(() => filter.test({ Meta: {} }))).toBe('not-found')
      expect(run('Meta.Leak == "x"', { Meta: {} })).toBe(false)
    } finally {
      Reflect.deleteProperty(Object.prototype, 'Leak')
    }
  })

  test('a hole among the rows is no row, and rows added meanwhile are not looked at', () => {
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

  test('a list has no fields', () => {
    expect(kindOf(() => run('Tags.length == 1', { Tags: ['a'] }))).toBe('not-indexable')
  })
})

test.each([undefined, null, 5])('%s is no expression', (expression) => {
  expect(() => compile(expression as unknown as string)).toThrow(
    `a filter expression is a text, or what parse() returned, not ${String(expression)}`,
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

  const nested = (times: number, open: string) => `${open.repeat(times)}x == 1${' }'.repeat(times)}`

  describe.each(['standard', 'bexpr'] as const)('what is compared for pairs counts 250, in %s', (dialect) => {
    const read =
      (source: string, matches = 1000) =>
      () =>
        compile(source, { dialect, limits: { matches } })

    test.each([
      'any Tags as a { any Tags as x { x == 1 } }',
      'any Tags as a { any Tags as i, x { x == 1 } }',
      'any Tags as a { any Tags as b { a == 1 } }',
      'any Groups as a { any Groups as b { a.Count == 1 } }',
      'any Groups as g { all g.Ports as p { any g.Ports as x { x == 1 } } }',
      'any Groups as g { any g.Ports as p { g.Count == 1 } }',
      // What is gone through again for each element need be no quantifier.
      'any Tags as a { Groups.Count == 1 }',
      'any Tags as a { x in Tags }',
      'any Tags as a { Meta is empty }',
      'any Tags as a { Text matches "^x" }',
    ])('%s', (source) => {
      expect(read(source, 250)).not.toThrow()
      expect(read(source, 249)).toThrow('more than 249 comparisons; one for pairs counts 250')
    })

    test.each([
      'any Groups as g { any g.Ports as p { all p.Names as _, n { any n as x { x == 1 } } } }',
      'any Tags as a { a == 1 }',
      'any Groups as g { any g.Ports as p { p.Name matches "^(a|b)*c" } }',
      'any Groups as g { g.Ports contains 80 }',
      'any Tags as a { Status == 1 and a is not nil }',
      '(any Tags as a { a == 1 }) or any Tags as x { x == 1 }',
    ])('%s is gone through once', (source) => {
      expect(read(source, 2)).not.toThrow()
    })

    test.each([
      'any Tags as a { any Tags as b { any Tags as c { c == 1 } } }',
      'any Tags as a { any Tags as b { x in Tags } }',
      'any Tags as a { any Tags as b { Groups.Count == 1 } }',
      'any Tags as a { any Tags as b { b matches "(a|b)*a(a|b){900}c" } }',
    ])('%s is refused, on whatever data', (source) => {
      expect(kindOf(read(source))).toBe('limit')
    })
  })

  test.each([
    ['Groups.Count == @Groups.Min', 250],
    ['any Groups as g { g.Count > @g.Min }', 250],
    ['any Groups as a { any Groups as b { a.Count == @b.Count } }', 250],
    ['any Groups as a { any Groups as b { b.Ports contains @a.Count } }', 250],
    ['any Groups as g { g.Count > @Meta.least }', 250],
    ['any Text as t { Name == @Boss ignoring case }', 250 * 250],
    ['any Tags as a { any Tags as b { b in [1, 2, 3] } }', 750],
    ['any Tags as a { any Tags as b { Groups.Count == @Groups.Min } }', 250 ** 3],
    ['Name == @Boss', 1],
    ['Count > @Groups.Count', 1],
    ['Boss contains @Name', 1],
    ['any Groups as g { g.Name == @Name }', 1],
    ['any Tags as t { t in [1, 2, 3] }', 1],
  ])('%s counts %d', (source, weight) => {
    const read = (matches: number) => () => compile(source, { limits: { matches } })
    expect(read(weight)).not.toThrow()
    expect(read(weight - 1)).toThrow(FilterError)
  })

  test('a short text cannot ask for more comparisons than anybody waits for', () => {
    // On ten attributes this would be 10^20 of them.
    expect(kindOf(() => compile(nested(20, 'any Attributes as x { ')))).toBe('limit')
    expect(kindOf(() => compile(nested(3, 'all Attributes as x { ')))).toBe('limit')
    const pairs = 'any Tags as a { any Tags as b { a == web and b == gpu } }'
    expect(compile(pairs).test({ Tags: ['web', 'gpu'] })).toBe(true)
    const overlap =
      'any Leases as a { any Leases as b { a.ID != @b.ID and a.From <= @b.To and a.To >= @b.From } }'
    const Leases = [
      { ID: 'a', From: 1, To: 4 },
      { ID: 'b', From: 3, To: 9 },
      { ID: 'c', From: 20, To: 21 },
    ]
    expect(compile(overlap).test({ Leases })).toBe(true)
    expect(compile(overlap).test({ Leases: Leases.slice(1) })).toBe(false)
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
    shape: anyShape,
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
    shape: anyShape,
  })
  const datum = { Tags: ['web'], Meta: { team: 'infra' } }
  expect(general(Object.assign(new (class Row {})(), datum), undefined)).toBe(true)
})
