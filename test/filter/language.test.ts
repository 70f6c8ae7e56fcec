import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  type CompileOptions,
  check,
  compile,
  explain,
  FilterError,
  format,
  hints,
  parse,
  toSql,
  where,
} from '../../src/filter/index.ts'

const evaluators = ['closures', 'codegen', 'auto'] as const

const errorOf = (run: () => unknown): FilterError => {
  try {
    run()
  } catch (error) {
    if (error instanceof FilterError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const noon = Date.parse('2026-01-31T12:00:00Z')
const kinds = { At: 'time', Ms: 'unix-ms', Ns: 'unix-ns', Took: 'duration' } as const
const moments = {
  At: '2026-01-31T11:00:00Z',
  Ms: noon - 3_600_000,
  Ns: (noon - 3_600_000) * 1e6,
  Took: '90s',
  Word: 'now',
}

describe.each(evaluators)('times, by %s', (evaluator) => {
  const run = (text: string, options: CompileOptions<unknown> = {}) =>
    compile(text, { evaluator, kinds, now: () => noon, ...options }).test(moments)

  test.each([
    ['At > now - 1h30m', true],
    ['At > now - 30m', false],
    ['At < now and Ms < now and Ns < now', true],
    ['Ms > now - 2h and Ns > now-2h', true],
    ['Ms between now - 1h and now', true],
    ['At == now - 1h and Ms == now - 1h and Ns == now - 1h', true],
    ['At < now + 7d and At > now - 1d12h', true],
    ['At >= "2026-01-31"', true],
    ['At >= 2026-01-31 and Ms >= 2026-01-31', true],
    ['At == "2026-01-31"', false],
    ['At < 2026-02-01T00:00:00Z', true],
    ['At between 2026-01-31 and 2026-02-01', true],
    // To a string, it is a string.
    ['Word == now', true],
    ['Word == "now"', true],
  ])('%s → %o', (text, wanted) => {
    expect(run(text)).toBe(wanted)
  })

  test('the clock is read when a row is tested', () => {
    let ms = noon
    const filter = compile('At > now - 90m', { evaluator, kinds, now: () => ms })
    expect(filter.test(moments)).toBe(true)
    ms += 3_600_000
    expect(filter.test(moments)).toBe(false)
    expect(filter.select([moments])).toEqual([])
  })

  test('without a clock given, the system tells the time', () => {
    const At = new Date().toISOString()
    expect(compile('At > now - 1h and At < now + 1h', { evaluator, kinds }).test({ At })).toBe(true)
    expect(compile('At > now - 1h', { evaluator }).test({ At: new Date() })).toBe(true)
  })

  test.each(['At > now - 1x', 'At > now - ', 'At > now * 2'])('%s is no moment', (text) => {
    expect(errorOf(() => run(text)).kind).toBe('parse')
  })
})

describe.each(evaluators)('what was added to the language, by %s', (evaluator) => {
  const row = {
    Name: 'edge-07',
    Live: true,
    Dead: false,
    Owner: null,
    Tags: ['web', 'eu-1'],
    Meta: { team: 'infra', on: true, list: [1, 2, 3] },
    Groups: [
      { Name: 'api', Count: 2, Ports: [80, 443], On: true },
      { Name: 'db', Count: 9, Ports: [], On: false },
    ],
    Text: 'ΟΔΟΣ',
    not: true,
    count: 3,
    none: 'x',
  }
  const run = (text: string) => compile(text, { evaluator }).test(row)

  test.each([
    ['Live and not Dead', true],
    ['Live is true and Dead is false and Live is not false', true],
    ['Meta.on and (Dead or Live)', true],
    ['Groups.On', true],
    ['Meta.gone is true or Meta.gone is false', false],
    ['not is true', true],
    ['Name == edge-07 and Name in [edge-06, edge-07]', true],
    ['eu-1 in Tags and Tags contains eu-1', true],
    ['Name starts with edge- or Name starts with "edge-"', true],
    ['Name starts with "EDGE" ignoring case', true],
    ['Name not starts with x and Name not ends with "-08"', true],
    ['Groups.Name ends with b', true],
    ['Name starts with "" and Name ends with ""', true],
    ['Meta.team starts with @Meta.team', true],
    ['count Tags == 2 and count Tags != 3 and count Meta >= 3', true],
    ['count Groups.Ports > 1', true],
    ['count Meta.gone < 1 and count == 3', true],
    ['count count > 1 or Live', 'type'],
    ['Groups.Count between 3 and 9', true],
    ['Groups.Count between 3 and 8', false],
    ['Groups.Count not between 3 and 8', true],
    ['none Groups as g { g.Count > 9 }', true],
    ['none Groups { @.Count > 2 }', false],
    ['none == x', true],
    ['any Tags { @ == web }', true],
    ['all Groups { count @.Ports < 3 and @.Name != "" }', true],
    ['any Groups { any @.Ports { @ == 443 } and @.Name == api }', true],
    ['any Groups { "api" in @.Name and @.Count == @.Count }', true],
    ['any Groups { @.Name == @none }', false],
    ['any Meta { @ == infra }', true],
    ['Text == "οδος" ignoring case and Text contains "Σ" ignoring case', true],
    ['Text matches "^οδος$" ignoring case', true],
  ])('%s → %o', (text, wanted) => {
    let answer: boolean | string
    try {
      answer = run(text)
    } catch (error) {
      answer = (error as FilterError).kind
    }
    expect(answer).toBe(wanted)
  })

  test('case is folded code point by code point', () => {
    const same = (a: string, b: string) =>
      [
        'A == @B ignoring case',
        `A == "${b}" ignoring case`,
        `A matches "^${b}$" ignoring case`,
        `A starts with "${b}" ignoring case`,
        `"${b}" in A ignoring case`,
        `A in ["${b}"] ignoring case`,
        `"${b}" in L ignoring case`,
      ].map((text) => compile(text, { evaluator }).test({ A: a, B: b, L: ['', a] }))
    for (const [a, b] of [
      ['ΟΔΟΣ', 'οδος'],
      ['ſ', 'S'],
      ['K', 'k'],
      ['ẞ', 'ß'],
      ['𐐀', '𐐨'],
    ] as const)
      expect(new Set(same(a, b))).toEqual(new Set([true]))
    for (const [a, b] of [
      ['ı', 'I'],
      ['İ', 'i'],
      ['ß', 'SS'],
    ] as const)
      expect(new Set(same(a, b))).toEqual(new Set([false]))
  })

  test('an item that is null is in no list where the schema lets it be', () => {
    const schema = z.object({ Tags: z.array(z.string().nullable()) })
    const filter = compile('"web" in Tags', { schema, evaluator })
    expect(filter.select([{ Tags: [null, 'web'] }, { Tags: [null] }])).toEqual([{ Tags: [null, 'web'] }])
  })
})

test.each([
  ['a == 1 and and', 'parse'],
  ['Status edge', 'parse'],
  ['@ == 1', 'parse'],
  ['any Tags { @ == 1 } and @ == 1', 'parse'],
  ['A between 1', 'parse'],
])('%s is no expression', (text, kind) => {
  expect(errorOf(() => compile(text)).kind).toBe(kind)
})

test('none of it is bexpr', () => {
  for (const text of [
    'Live',
    'Live is true',
    'A starts with b',
    'A between 1 and 2',
    'count A > 2',
    'none A as a { a == 1 }',
    'any A { a == 1 }',
    'A == edge-07',
    'A == $a',
    'A == now - 1h',
  ])
    expect(errorOf(() => compile(text, { dialect: 'bexpr' })).kind).toBe('parse')
})

describe('a schema refutes', () => {
  const Job = z.object({
    Status: z.enum(['running', 'dead']),
    Live: z.boolean(),
    Tags: z.array(z.string()),
    Priority: z.int(),
    At: z.iso.datetime(),
  })
  test.each([
    ['Status', 'type'],
    ['Tags is true', 'type'],
    ['Priority starts with 1', 'type'],
    ['count Priority > 1', 'type'],
    ['count Tags > many', 'coercion'],
    ['Priority between 1 and high', 'coercion'],
    ['Status between a and b', 'type'],
    ['At > now - 1h', undefined],
    ['Priority > now - 1h', 'coercion'],
    ['At > $since and Priority > $least', undefined],
    ['Priority > $since', 'type'],
    ['Status == $owner', undefined],
    ['Status == $since', undefined],
    ['none Status { @ == a }', 'type'],
    ['any Tags { @.Name == a }', 'not-indexable'],
  ])('%s: %s', (text, kind) => {
    const parameters = { since: 'time', least: 'int', owner: 'string' } as const
    expect(check(text, Job, { parameters })[0]?.kind).toBe(kind)
  })
})

describe('parameters', () => {
  const parameters = {
    since: 'time',
    owner: 'string',
    least: 'int',
    live: 'boolean',
    most: 'number',
  } as const
  const compiled = (text: string, options: CompileOptions<unknown> = {}) =>
    compile(text, { parameters, kinds: { At: 'time' }, ...options })

  test('take values, of which none is read as anything else', () => {
    const filter = compiled('Owner == $owner and Tries > $least')
    const hostile = 'x" or Tries > 0 or Owner == "'
    const row = { Owner: 'ada', Tries: 5 }
    expect(filter.bind({ owner: hostile, least: 1 }).test(row)).toBe(false)
    expect(filter.bind({ owner: hostile, least: 1 }).test({ Owner: hostile, Tries: 5 })).toBe(true)
    expect(filter.bind({ owner: 'ada', least: 4 }).select([row])).toEqual([row])
    for (const evaluator of evaluators)
      expect(compiled('Owner == $owner', { evaluator }).bind({ owner: 'ada' }).test(row)).toBe(true)
  })

  test('can be used wherever a value can', () => {
    const filter = compiled(
      'At >= $since and Live == $live and Owner in [$owner, "bo"] and Tries between $least and $most and Owner starts with $owner',
    )
    const row = { At: new Date(noon), Live: true, Owner: 'ada', Tries: 3 }
    const values = { since: new Date(noon), live: true, owner: 'ada', least: 1, most: 3 }
    expect(filter.bind(values).test(row)).toBe(true)
    expect(filter.bind({ ...values, since: '2027-01-01' }).test(row)).toBe(false)
    expect(format(filter.ast)).toContain('At >= $since and')
  })

  test.each<[text: string, values: object, message: string]>([
    ['A == $owner', {}, 'the parameter $owner has no value'],
    ['A == $owner', { ownr: 'ada' }, 'there is no parameter $ownr; there are $since, $owner'],
    ['A == $owner', { owner: 5 }, 'the parameter $owner is a string, not 5'],
    ['A == $least', { least: 1.5 }, 'the parameter $least is a whole number, not 1.5'],
    ['A == $since', { since: 'yesterday' }, 'the parameter $since is a Date or an RFC 3339 string'],
    ['A == $live', { live: 'true' }, 'the parameter $live is true or false, not "true"'],
  ])('%s with %o is refused', (text, values, message) => {
    const error = errorOf(() => compiled(text).bind(values as never))
    expect(error.kind).toBe('type')
    expect(error.message).toContain(message)
  })

  test('without values, a filter says which is missing, wherever it is used', () => {
    for (const evaluator of evaluators) {
      const filter = compiled('A == 1 and B == $owner', { evaluator })
      for (const use of [
        () => filter.test({ A: 2 }),
        () => filter.select([{ A: 2 }]),
        () => hints(filter),
        () => explain(filter, {}),
        () => toSql(filter, { columns: {}, dialect: 'sqlite' }),
      ]) {
        const error = errorOf(use)
        expect(error.kind).toBe('type')
        expect(error.message).toContain('$owner')
        expect(filter.source.slice(error.span.start, error.span.end)).toBe('$owner')
      }
    }
  })

  test('that are not declared are refused, by every reader', () => {
    for (const use of [
      () => parse('A == $ownr', { parameters }),
      () => compiled('A == $ownr'),
      () => compile('A == $owner'),
    ]) {
      const error = errorOf(use)
      expect(error.kind).toBe('type')
      expect(error.message).toMatch(/there is no parameter \$own/)
    }
    expect(check('A == $ownr', z.object({ A: z.string() }), { parameters })).toMatchObject([{ kind: 'type' }])
  })

  test('a bad pattern is refused when it is given', () => {
    expect(errorOf(() => compiled('A matches $owner').bind({ owner: '(' })).kind).toBe('regex')
  })
})

test('the typed builder writes it', () => {
  interface Job {
    Name: string
    At: string
    Live: boolean
    Tags: string[]
    Priority: number
  }
  const text = String(
    where<Job>()
      .startsWith('Name', 'web-')
      .notEndsWith('Name', '07')
      .between('Priority', 1, 5)
      .isTrue('Live')
      .count('Tags', '!=', 2)
      .gt('At', { now: '- 1h' })
      .eq('Name', { parameter: 'name' }),
  )
  expect(text).toBe(
    'Name starts with "web-" and Name not ends with "07" and Priority between 1 and 5 and Live is true and count Tags != 2 and At > now - 1h and Name == $name',
  )
  expect(format(parse(text, { parameters: { name: 'string' } }))).toBe(text)
  for (const written of ['At > now-1h', 'At > now -1h', 'At > now -  1h'])
    expect(format(parse(written))).toBe('At > now - 1h')
})

describe('hints', () => {
  const Row = z.object({ Name: z.string(), Priority: z.int(), Live: z.boolean(), At: z.iso.datetime() })
  const of = (text: string) => hints(compile(text, { schema: Row, now: () => noon }))

  test.each([
    ['Name starts with "web-"', [{ path: 'Name', op: 'prefix', values: ['web-'] }]],
    ['Priority between 1 and 5', [{ path: 'Priority', op: 'range', values: [1, 5] }]],
    ['Live', [{ path: 'Live', op: 'eq', values: [true] }]],
    ['At > now - 1h', [{ path: 'At', op: 'range', values: ['2026-01-31T11:00:00.000Z', null] }]],
    ['At == 2026-01-31', [{ path: 'At', op: 'eq', values: ['2026-01-31T00:00:00Z'] }]],
    // Later, more rows pass.
    ['At < now - 1h', []],
    ['At == now', []],
    ['Name ends with x and count Name > 1', undefined],
  ])('%s', (text, wanted) => {
    if (wanted === undefined) expect(() => of(text)).toThrow(FilterError)
    else expect(of(text)).toEqual(wanted)
  })

  test('say nothing of a field without a kind that a row may pass otherwise', () => {
    const loose = (text: string) => hints(compile(text))
    expect(loose('A == 50')).toEqual([])
    expect(loose('A == true')).toEqual([])
    expect(loose('A in [a, 1]')).toEqual([])
    expect(loose('A == web')).toEqual([{ path: 'A', op: 'eq', values: ['web'] }])
    expect(loose('A > 50')).toEqual([{ path: 'A', op: 'range', values: [50, null] }])
    expect(loose('A > "010"')).toEqual([])
  })
})

test('SQL looks for the start of a text with LIKE, and escapes what LIKE would read', () => {
  const schema = z.object({ Name: z.string(), At: z.iso.datetime(), Tags: z.array(z.string()) })
  const columns = { Name: 'name', At: 'at', Tags: 'tags' }
  const sql = (text: string, dialect: 'postgres' | 'sqlite' = 'postgres') =>
    toSql(compile(text, { schema, now: () => noon }), { columns, dialect })
  expect(sql('Name starts with "50%_\\\\"')).toMatchObject({
    text: `"name" LIKE $1 ESCAPE '\\'`,
    values: ['50\\%\\_\\\\%'],
  })
  expect(sql('Name not ends with "x"').text).toBe(`NOT ("name" LIKE $1 ESCAPE '\\')`)
  expect(sql('count Tags > 2').text).toBe('coalesce(cardinality("tags"), 0) > $1::double precision')
  expect(sql('At > now - 1h').values).toEqual(['2026-01-31T11:00:00.000Z'])
})
