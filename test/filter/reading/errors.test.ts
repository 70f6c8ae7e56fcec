import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  type CompileOptions,
  check,
  compile,
  FilterError,
  filterCompiler,
  format,
  parse,
} from '../../../src/filter/index.ts'

function errorOf(run: () => unknown): FilterError {
  try {
    run()
  } catch (error) {
    if (error instanceof FilterError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const parseError = (source: string) => errorOf(() => compile(source))

test.each([
  ['Name == ada@example.com', '"ada@example.com"'],
  ["Name == 'edge'", '"edge"'],
  ['Zone == 2a', '"2a"'],
  ['Meta.rack-no == 12', 'Meta["rack-no"]'],
  ['Rack..x == 12', undefined],
  ['Live = true', '=='],
  ['Live === true', '=='],
  ['Live !== true', '!='],
  ['a == 1 && b == 2', 'and'],
  ['a == 1 || b == 2', 'or'],
  ['!a == 1', 'not '],
  ['a==1&&b==2', ' and '],
  ['a == 1 AND b == 2', 'and'],
  ['exists Meta.team', 'Meta.team is present'],
  ['exists(Meta.team) and a == 1', 'Meta.team is present'],
  ['not has(Owner)', 'Owner is present'],
  ['Owner exists', 'Owner is present'],
  ['Owner not exists', 'Owner is missing'],
  ['Owner is null', 'missing'],
  ['Owner is not null', 'missing'],
  ['some Tags as t { t == "a" }', 'any'],
  ['every Tags { @ == "a" }', 'all'],
  ['no Tags as t { t == "a" }', 'none'],
])('%s suggests %s', (source, suggestion) => {
  expect(parseError(source).suggestion).toBe(suggestion)
})

describe('what beginners write is answered with what would be right', () => {
  test.each([
    ["Name == 'web'", 'did you mean "web"?'],
    ['Name == “web”', 'did you mean "web"?'],
    ['“web” in Tags', 'did you mean "web"?'],
    ['Name == "web', '1:9: this string is not closed'],
    ['Name == "a" and Zone == `b', '1:25: this string is not closed'],
    ['(Name == "web"', 'a parenthesis is not closed'],
    ['Name == "web")', 'no parenthesis is open here'],
    ['Name == "web";', 'expected "and", "or" or the end but found ";"'],
    ['Name == "web", Live == true', 'comparisons are joined by "and" or "or"'],
    ['Name == "web" # all of them', 'there are no comments'],
    ['Name LIKE "web"', 'did you mean matches?'],
    ['Name startsWith "web"', 'did you mean starts with?'],
    ['Name hasSuffix ".de"', 'did you mean ends with?'],
    ['Priority between 1 to 5', 'did you mean between 1 and 5?'],
    ['Name begins with "web"', 'did you mean starts with?'],
    ['Name contians "web"', 'did you mean contains?'],
    ['Name == "web" adn Live == true', 'did you mean and?'],
    ['Name is emtpy', 'did you mean empty?'],
    ['Note equels "web"', 'but found "equels"'],
    ['Priority betwen 1 and 5', 'did you mean between?'],
    ['len(Tags) > 1', 'did you mean count Tags?'],
    ['Time > now() - 1h', 'did you mean now?'],
    ['Time > now - 2 days', 'did you mean now - 2d?'],
    ['Time > now - 1x', '1:14: this is not a duration such as 1h30m'],
    ['Time > now -', 'expected a duration such as 1h30m but found the end'],
    ['Name =~ "web"', 'did you mean matches?'],
    ['Name !~ "web"', 'did you mean not matches?'],
    ['Name !contains "web"', 'did you mean not?'],
    ['Name not == "web"', 'did you mean !=?'],
    ['Name does not contain "web"', 'did you mean not contains?'],
    ['Name: "web"', 'did you mean ==?'],
    ['"web" == Name', 'did you mean Name == "web"?'],
    ['5 < Priority', 'did you mean Priority > 5?'],
    ['Priority => 5', 'did you mean >=?'],
    ['Priority =< 5', 'did you mean <=?'],
    ['Priority <> 5', 'did you mean !=?'],
    ['Timeout > 5m', 'did you mean "5m"?'],
    ['Rate == 5%', 'did you mean "5%"?'],
    ['Tags not in "web"', 'did you mean "web" not in Tags?'],
    ['Status in (running, dead)', 'did you mean [running, dead]?'],
    ['Tags[0] == "web"', 'did you mean Tags.0?'],
    ['Meta[team] == "web"', 'did you mean Meta["team"]?'],
    ['Name is null', 'did you mean missing?'],
    ['Name is Empty', 'did you mean empty?'],
    ['Name is not "web"', 'did you mean != "web"?'],
    ['NOT Live == true', 'did you mean not?'],
    ['Name == "web" OR Live == true', 'did you mean or?'],
    ['Name == "web" or "api"', 'with several values as in Name in ["a", "b"]'],
    ['Name == "web" and', 'expected a comparison but found the end'],
    ['and Name == "web"', '"and" must be between two comparisons'],
    ['Name == "web" or or Live == true', '"or" must be between two comparisons'],
    ['lower(Tags) == 0', 'there are no functions'],
    ['any t in Tags { t == "web" }', 'write any Tags as t { t == "web" }'],
    ['Name == "web" ignore case', 'did you mean ignoring case?'],
    ['Größe == 5', 'did you mean "/Größe"?'],
    ['Meta.größe == 5', 'did you mean "/Meta/größe"?'],
    ['Priority ≥ 5', 'did you mean >=?'],
    ['Name ==', 'expected a value (a quoted string, a number, a word) but found the end'],
    ['Name "web"', 'expected an operator'],
    ['', 'expected a comparison but found the end'],
  ])('%s', (source, help) => {
    expect(parseError(source).message).toContain(help)
  })

  test.each([
    ['Rack == high', '"high" is not an integer'],
    ['Live == yes', '"yes" is not true or false'],
    ['Live == yes', 'did you mean true?'],
    ['Created > "2026-03-01 12:30"', 'did you mean "2026-03-01T12:30:00Z"?'],
    ['Created > "2026-02-30"', '"2026-02-30" is not a time such as 2026-01-31T12:00:00Z'],
    ['Timeout > "5 m"', 'did you mean "5m"?'],
    ['Created > yesterday', '"yesterday" is not a time such as 2026-01-31T12:00:00Z'],
    ['Timeout > "5 m"', '"5 m" is not a duration such as 1h30m'],
    ['Owner == "ada"', '== does not apply to Owner (struct); compare one of its fields, Owner.…'],
    ['Meta == "ada"', '== does not apply to Meta (map); compare one of its keys, Meta.…'],
    ['Tags == "web"', 'did you mean "web" in Tags?'],
    ['Tags matches "^w"', 'any Tags as item { item matches "^w" }'],
  ])('%s, by the schema', (source, help) => {
    const schema = z.object({
      Rack: z.int(),
      Live: z.boolean(),
      Created: z.iso.datetime(),
      Timeout: z.string().meta({ kind: 'duration' }),
      Owner: z.object({ Name: z.string() }),
      Meta: z.record(z.string(), z.string()),
      Tags: z.array(z.string()),
    })
    expect(errorOf(() => compile(source, { schema })).message).toContain(help)
  })

  test.each([
    '5 < Priority',
    'Priority => 5',
    'Priority between 1 and 5',
    'Name == "a" ignore case',
    'Name == "a" or "b"',
  ])('%s is not answered with what bexpr does not know', (source) => {
    const { message, suggestion } = errorOf(() => compile(source, { dialect: 'bexpr' }))
    expect(suggestion).toBeUndefined()
    expect(message).not.toMatch(/did you mean|Name in \[/)
  })

  test('what is suggested for a value can be read', () => {
    for (const value of [
      '5m',

      '5%',
      '/abc/',
      '.5',
      '+5',
      '*',
      'über',
      '1_000',
    ]) {
      const { suggestion = '' } = parseError(`Name == ${value}`)
      expect(compile(`Name == ${suggestion}`).test({ Name: value })).toBe(true)
    }
  })

  test('the length of a text does not matter to the help', () => {
    const limits = { length: 1e7, depth: 1e7 }
    for (const unit of ['a', '1', '" "', 'in ', '(', '`x` ', 'é', 'not ']) {
      const source = `${unit.repeat(300_000)} ?`
      expect(errorOf(() => compile(source, { limits })).message.length).toBeLessThan(700)
    }
  })
})

test('an error is written as JSON with all that is known of it', () => {
  const error = parseError('Live = true')
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    code: 'parse',
    kind: 'parse',
    message: error.message,
    span: { start: 5, end: 6, line: 1, column: 6 },
    suggestion: '==',
  })
})

test.each([
  ['Name == "a" AND Rack == 1', 'AND'],
  ['Name startsWith "a"', 'startsWith'],
  ['Name == "a" xor Rack == 1', 'xor'],
  [`Name == "a" ${'x'.repeat(5000)}`, 'x'.repeat(40)],
])('%.30s names the whole word that is wrong', (source, word) => {
  const { message, span } = parseError(source)
  expect(message).toContain(`but found "${word}"`)
  expect(source.slice(span.start, span.end)).toMatch(new RegExp(`^${word}`))
})

test('a place is given in UTF-16 units, and in lines and columns of code points', () => {
  const source = 'Name == "😀" and\n\tStatus = "x"'
  expect(parseError(source).span).toEqual({ start: 25, end: 26, line: 2, column: 9 })
  expect(parseError('"😀" in Tags nope').span).toEqual({ start: 13, end: 17, line: 1, column: 13 })
})

test('the mark stands below the mistake', () => {
  expect(parseError('Name == edge+07').caret()).toBe('Name == edge+07\n        ^^^^^^^')
  expect(parseError('a == "😀" and\n\tb = 1').caret()).toBe('\tb = 1\n\t  ^')
  expect(errorOf(() => compile('Rack == 1 or Gone != 2').test({ Rack: 2 })).caret()).toBe(
    'Rack == 1 or Gone != 2\n             ^^^^',
  )
})

test('of a long line only the part around the mistake is shown', () => {
  const source = `${'Name == "a" or '.repeat(50)}Name = b${' or Name == "c"'.repeat(50)}`
  const [line = '', mark = ''] = parseError(source).caret().split('\n')
  expect(line.length).toBeLessThan(130)
  expect(line.charAt(mark.indexOf('^'))).toBe('=')
})

describe('every error of evaluation has a place', () => {
  const datum = { Name: 'x', Rack: 1, Tags: ['a'], Meta: {} }
  test.each([
    ['Name == x and Gone == 1', 'Gone', 'not-found', 'Gone: there is no field "Gone"'],
    ['Name == x and Tags.4 == 1', 'Tags.4', 'out-of-range', 'index 4 is out of range (length = 1)'],
    ['Name == x and Rack.a == 1', 'Rack.a', 'not-indexable', 'type number has no fields'],
    ['Name == x and Rack == one', 'one', 'coercion', '"one" is not a number'],
    ['Name == x and Rack contains 1', 'Rack contains 1', 'type', '"in" does not apply to Rack (number)'],
    ['Name == x and any Rack as r { r == 1 }', 'Rack', 'type', 'Rack is not a list or a map'],
  ])('%s', (source, place, kind, message) => {
    for (const evaluator of ['closures', 'codegen'] as const) {
      const error = errorOf(() => compile(source, { evaluator }).test(datum))
      expect(source.slice(error.span.start, error.span.end)).toBe(place)
      expect(error.kind).toBe(kind)
      expect(error.message).toContain(message)
    }
  })
})

describe('an option that names what there is not is refused, with what there is', () => {
  const dialect = { dialect: 'bexp' as 'bexpr' }
  const evaluator = { evaluator: 'code' as 'codegen' }

  test.each<[string, () => unknown]>([
    ['parse', () => parse('Name == "a"', dialect)],
    ['compile', () => compile('Name == "a"', dialect)],
    ['compile, of what was read before', () => compile(parse('Name == "a"'), dialect)],
    ['check', () => check('Name == "a"', z.object({ Name: z.string() }), dialect)],
  ])('a dialect, by %s', (_, run) => {
    expect(run).toThrow(new TypeError('dialect is standard or bexpr, not bexp'))
  })

  test.each([compile, filterCompiler()])('an evaluator', (compiler) => {
    expect(() => compiler('Name == "a"', evaluator)).toThrow(
      new TypeError('evaluator is auto, closures or codegen, not code'),
    )
  })
  test('a kind, with the nearest or with all', () => {
    const kinds = (kind: unknown) => () => compile('a == 1', { kinds: { a: kind as 'int' } })
    expect(kinds('strnig')).toThrow(new TypeError('"strnig" is not a kind of field; did you mean string?'))
    expect(kinds({ list: 'unit8' })).toThrow('"unit8" is not a kind of field; did you mean uint8?')
    for (const kind of ['date', 'constructor', { lists: 'int' }, null, 7])
      expect(kinds(kind)).toThrow(`${JSON.stringify(kind)} is not a kind of field; there are string, bool, `)
  })

  const selector = { path: ['Name'] }
  const operand = { type: 'value', form: 'string', text: 'a' }
  const body = { type: 'match', selector, op: '==', negated: false, operand }
  const broken: readonly object[] = [
    { type: 'foo' },
    { type: 'match' },
    { type: 'and' },
    { type: 'not' },
    { type: 'any', selector, name: 'n' },
    { type: 'any', selector, name: 'n { a == 1 } or any Name as n', body },
    { ...body, op: 'like' },
    { ...body, selector: { path: 'Name' } },
    { ...body, operand: undefined },
    { ...body, operand: { type: 'value', form: 'string' } },
    { ...body, operand: { type: 'values' } },
    { ...body, operand: { type: 'field' } },
  ]
  test.each(broken.map((tree) => [JSON.stringify(tree), tree]))('an invalid tree: %s', (text, tree) => {
    const message = `a filter expression is a string, or a result of parse(), not ${text.slice(0, 200)}`
    for (const run of [format, compile]) expect(() => run(tree as never)).toThrow(new TypeError(message))
  })

  test('a tree that is too deep, or holds itself', () => {
    const tree: { type: 'not'; operand: unknown } = { type: 'not', operand: body }
    tree.operand = tree
    for (const run of [format, compile]) expect(errorOf(() => run(tree as never)).kind).toBe('limit')
  })

  test('a negated order is written as one', () => {
    const tree = { ...body, op: '<', negated: true, operand: { ...operand, form: 'number', text: '5' } }
    expect(format({ type: 'not', operand: tree } as never)).toBe('not not Name < 5')
    expect([4, 5].map((Name) => compile<{ Name: number }>(tree as never).test({ Name }))).toEqual([
      false,
      true,
    ])
  })
})

describe('what looks like a time or a duration may be declared one', () => {
  const message = (source: string) =>
    errorOf(() => compile(source).test({ at: '2026-05-01T00:00:00Z', took: '90s', ms: 1_777_593_600_000 }))
      .message

  test.each([
    ['at > "2026-03-01"', '; if at is a time, declare it in a schema or kinds'],
    ['took > "1.5m"', '; if took is a duration, declare it in a schema or kinds'],
    ['ms > "2026-03-01T00:00:00Z"', 'is not a number; if it is a time, declare it in a schema or kinds'],
    ['ms < "5m"', 'is not a number; if it is a duration, declare it in a schema or kinds'],
  ])('%s', (source, advice) => {
    expect(message(source).endsWith(advice)).toBe(true)
  })

  test('and what does not is told what is wrong, no more', () => {
    expect(message('at > "a"')).toBe('> does not apply to at (string): strings have no order')
    expect(message('ms > high')).toBe('"high" is not a number')
  })
})

describe('what is null at times, or not there', () => {
  const source = 'x is not nil and x > 100'

  test.each<[text: string, datum: object, path: string]>([
    [source, { x: 150 }, 'x'],
    ['x > 100', { x: null }, 'x'],
    [source, {}, 'x'],
    ['Meta.a.b == 1', { Meta: {} }, 'Meta.a'],
    ['any Groups as g { g.Meta.a == 1 }', { Groups: [{}] }, 'g.Meta'],
    ['Owner.email == "ada@example.com"', { Owner: null }, 'Owner'],
    ['any Groups as g { g.a == 1 }', { Groups: [null] }, 'g'],
  ])('wants to be declared so: %s of %o', (text, datum, path) => {
    expect(errorOf(() => compile(text).test(datum)).message).toContain(
      `; if ${path} may be null or absent, declare it in a schema or kinds, as in { optional: 'any' }`,
    )
  })

  test('is what the advice says it is, with anything below it', () => {
    const filter = compile('Owner.email == "ada@example.com"', { kinds: { Owner: { optional: 'any' } } })
    const found = [{ Owner: { email: 'ada@example.com' } }, { Owner: null }, {}].map(filter.test)
    expect(found).toEqual([true, false, false])
  })

  test('and is then no error, in both halves of the usual question', () => {
    const filter = compile<{ x?: number | null }>(source, { kinds: { x: { optional: 'int' } } })
    expect([{ x: 150 }, { x: null }, { x: 50 }, {}].map(filter.test)).toEqual([true, false, false, false])
  })

  test('is not spoken of where it is declared, nor in bexpr', () => {
    const message = (options: CompileOptions<unknown>) =>
      errorOf(() => compile('Meta.a.b == 1', options).test({ Meta: {} })).message
    expect(message({ schema: z.object({ Meta: z.record(z.string(), z.record(z.string(), z.int())) }) })).toBe(
      'Meta.a.b: there is no field "a"',
    )
    expect(message({ dialect: 'bexpr' })).toBe(
      `error finding value in datum: /Meta/a/b at part 1: couldn't find key "a"`,
    )
  })
})
