import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type CompileOptions, compile, FilterError } from '../../src/filter/index.ts'

const node = {
  Name: 'edge-07',
  Path: '/data',
  Tags: ['web', 'gpu'],
  Disks: [
    { Mount: '/', SizeGB: 20, Tags: ['ssd'] },
    { Mount: '/data', SizeGB: 900, Tags: [] },
  ],
  Meta: { team: 'infra', 'region.zone': 'eu-1' },
  Rack: 12,
  Live: true,
  Boss: 'edge-07',
  Nothing: null,
}

const evaluators = ['closures', 'codegen'] as const

function kindOf(run: () => unknown): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof FilterError) return error.kind
    throw error
  }
}

describe.each(evaluators)('the standard dialect, by %s', (evaluator) => {
  const passes = (source: string, options: CompileOptions<unknown> = {}) =>
    compile(source, { evaluator, ...options }).test(node)

  test.each([
    // A word operator needs blanks only where two words would run together.
    ['not(Rack == 1)and(Live==true)or Name=="x"', true],
    ['Name contains"edge"and"web"in Tags', true],
    // A value keeps its leading slash.
    ['Path == "/data"', true],
    ['Path == data', false],
    ['Path matches "^/data$"', true],
    // A path through a list means any of its items, and a negation is the negation of that.
    ['Disks.SizeGB == 900', true],
    ['Disks.SizeGB != 900', false],
    ['Disks.SizeGB != 5', true],
    ['Disks.Tags contains ssd', true],
    ['ssd not in Disks.Tags', false],
    ['Disks.Tags is empty', true],
    ['Disks.0.SizeGB == 20', true],
    ['Disks["1"].Mount == "/data"', true],
    // Quantifiers are operands like any other.
    ['not any Tags as t { t == "db" } and Live == true', true],
    ['all Disks as d { d.SizeGB > 10} or Live == false', true],
    ['any Meta as k, v { k == team and v == infra }', true],
    // Extensions.
    ['Name in ["edge-06", "edge-07"]', true],
    ['Rack not in [1, 2]', true],
    ['Rack in []', false],
    ['Rack >= 12 and Rack < 12.5 and Rack > "0xB" and Rack <= 12', true],
    ['Name == "EDGE-07" ignoring case', true],
    ['Tags contains WEB ignoring case and "TEAM" in Meta ignoring case', true],
    ['Name matches "^EDGE" ignoring case', true],
    ['Name in ["EDGE-07"] ignoring case', true],
    ['Name == @Boss', true],
    ['Name != @Meta.team', true],
    ['Rack < @Disks.SizeGB', true],
    ['Boss contains @Name', true],
    ['Nothing is nil and Meta is not nil', true],
    ['"/Meta/team" == infra', true],
    ['Meta.gone == x or Meta.gone is empty', true],
    ['Meta.gone != x', true],
  ])('%s is %s', (source, result) => {
    expect(passes(source)).toBe(result)
  })

  test.each([
    ['Gone == 1', 'not-found'],
    ['Meta.gone.deeper == 1', 'not-found'],
    ['Name.first == x', 'not-indexable'],
    ['Tags.7 == web', 'out-of-range'],
    ['Rack == twelve', 'coercion'],
    ['Tags == web', 'type'],
    ['Nothing == x', 'type'],
    ['Name < 5', 'type'],
    ['Name < @Boss', 'type'],
    ['Rack == @Name', 'type'],
  ])('%s is an error of kind %s', (source, kind) => {
    expect(kindOf(() => passes(source))).toBe(kind)
  })

  test('a value for what is unknown stands for missing fields and keys', () => {
    expect(passes('Gone == none and Meta.gone == none', { unknown: 'none' })).toBe(true)
  })

  test('the error of a list compared like a scalar suggests the membership', () => {
    expect(() => passes('Tags == "web"')).toThrow('did you mean "web" in Tags?')
  })
})

describe('what standard refuses while compiling', () => {
  test.each([
    ['', 'parse'],
    ['  ', 'parse'],
    ['a/b == 1', 'parse'],
    ['Tags in "web"', 'parse'],
    ['Name matches "(edge"', 'regex'],
    ['Name == x or Name matches "(?=a)"', 'regex'],
    ['any Tags as i, i { i == 1 }', 'type'],
  ])('%s is an error of kind %s', (source, kind) => {
    expect(kindOf(() => compile(source))).toBe(kind)
  })

  test('bexpr puts off a bad pattern until a datum meets it', () => {
    expect(kindOf(() => compile('Name matches "("', { dialect: 'bexpr' }))).toBe(undefined)
    expect(compile('Live == true or Name matches "("', { dialect: 'bexpr' }).test(node)).toBe(true)
  })
})

describe('kinds that a schema declares', () => {
  const Job = z.object({
    Priority: z.int(),
    Started: z.iso.datetime().nullable(),
    Submitted: z.int().meta({ kind: 'unix-ms' }),
    Timeout: z.string().meta({ kind: 'duration' }),
    Drain: z.object({ By: z.string() }).nullable(),
    Owner: z.string().optional(),
    Tags: z.array(z.string()).nullable(),
    Id: z.bigint(),
  })
  const job: z.infer<typeof Job> = {
    Priority: 50,
    Started: '2026-03-01T10:00:00+02:00',
    Submitted: Date.UTC(2026, 2, 1),
    Timeout: '1h30m',
    Drain: null,
    Tags: null,
    Id: 9_007_199_254_740_993n,
  }
  test.each(
    evaluators.flatMap((evaluator) =>
      (
        [
          ['Started == "2026-03-01T08:00:00Z"', true],
          ['Started < "2026-03-01T08:00:00.5Z"', true],
          ['Submitted >= "2026-03-01T00:00:00Z" and Submitted < 1800000000000', true],
          ['Timeout > "89m" and Timeout == "90m"', true],
          ['Timeout < @Timeout', false],
          ['Timeout matches "m$" and h in Timeout and Timeout is not empty', true],
          // An optional field that is null follows the rules of a missing key.
          ['Drain.By == ops', false],
          ['Drain.By != ops', true],
          ['Drain is nil and Owner is nil', true],
          ['Owner == ada or Owner is empty', true],
          ['Tags is empty and "a" not in Tags and not any Tags as t { t == x }', true],
          ['Id == 9007199254740993 and Id != 9007199254740992', true],
        ] as const
      ).map(([source, result]) => [evaluator, source, result] as const),
    ),
  )('%s: %s is %s', (evaluator, source, result) => {
    expect(compile(source, { schema: Job, evaluator }).test(job)).toBe(result)
  })

  test('Go-like kinds are stated where zod has no word for them', () => {
    const filter = compile('Port == "0x1F90" and Load == 0.1 and Raw matches "^by" and Name == x', {
      kinds: {
        Port: 'uint16',
        Load: 'float32',
        Raw: 'bytes',
        Name: { alias: 'name' },
        Secret: 'hidden',
      },
    })
    const datum = { Port: 8080, Load: Math.fround(0.1), Raw: new TextEncoder().encode('bytes'), name: 'x' }
    expect(filter.test(datum)).toBe(true)
    expect(kindOf(() => compile('name == x', { kinds: { Name: { alias: 'name' } } }).test(datum))).toBe(
      'not-found',
    )
    expect(kindOf(() => compile('Secret == x', { kinds: { Secret: 'hidden' } }).test({ Secret: 'x' }))).toBe(
      'type',
    )
  })

  test('an unknown field is refused before any row is seen', () => {
    expect(() => compile('Address == "10.0.0.1"', { schema: Job })).toThrow(
      'Address: there is no field "Address"',
    )
  })
})
