import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { check, compile, FilterError, type FilterProblem, filterCompiler } from '../../../src/filter/index.ts'

const replaced = (source: string, { span, suggestion }: FilterProblem | FilterError) =>
  source.slice(0, span.start) + (suggestion ?? '') + source.slice(span.end)

const errorOf = (run: () => unknown): FilterError | undefined => {
  try {
    run()
  } catch (error) {
    if (error instanceof FilterError) return error
    throw error
  }
  return undefined
}

/** What people write of other languages, beside what is right. */
const field = fc.constantFrom(
  'Name',
  'Rack',
  'Meta.rack-no',
  'Tags[0]',
  'Meta[team]',
  'Größe',
  'x-y',
  '_id',
  'NOT a',
)
const value = fc.constantFrom(
  ...[
    "'web'",
    '“web”',
    '"web"',
    'edge-07',
    '5m',
    '5%',
    '2a',
    '-1',
    '50',
    'true',
    'null',
    '/abc/',
    '(a, 1)',
    "'/a'",
  ],
)
const operator = fc.constantFrom(
  ...[
    '==',
    '=',
    '===',
    '!==',
    '<>',
    '=>',
    '=<',
    '≥',
    '<',
    ':',
    '=~',
    '!~',
    'eq',
    'LIKE',
    'in',
    'not in',
    'not ==',
  ],
  ...[
    'startsWith',
    'ends with',
    'does not contain',
    'includes',
    'is',
    'is not',
    'IS',
    'contains',
    '!contains',
  ],
)
const joint = fc.constantFrom(' and ', ' or ', ' && ', '&&', '||', ' AND ', ' or not ', ' && !')
const comparison = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: field }, value),
    operator,
    fc.oneof({ weight: 5, arbitrary: value }, field),
  )
  .map((parts) => parts.join(' '))
const mistaken = fc
  .array(fc.tuple(joint, fc.oneof(comparison, fc.constant('Rack between 1 and 5 ignore case'))), {
    minLength: 1,
    maxLength: 3,
  })
  .map((all) => all.map(([join, text], at) => (at === 0 ? text : join + text)).join(''))

describe('a suggestion, written where the problem is, makes an expression that no longer has it', () => {
  const plain = filterCompiler()

  test.each(['standard', 'bexpr'] as const)('in a text that cannot be read (%s)', (dialect) => {
    let suggested = 0
    fc.assert(
      fc.property(mistaken, (source) => {
        const error = errorOf(() => compile(source, { dialect }))
        if (error?.kind !== 'parse' || error.suggestion === undefined) return
        suggested += 1
        // Reading gets past what is replaced, and further than before.
        const at = errorOf(() => plain(source, { dialect }))?.span.start ?? Number.NaN
        const fixed = replaced(source, error)
        const next = errorOf(() => plain(fixed, { dialect }))
        if (next?.kind !== 'parse') return
        expect(next.span.start).toBeGreaterThanOrEqual(error.span.start + error.suggestion.length)
        expect(fixed.length - next.span.start).toBeLessThan(source.length - at)
      }),
      { numRuns: 2000 },
    )
    expect(suggested).toBeGreaterThan(500)
  })

  const Job = z.object({
    Status: z.enum(['running', 'in "quotes"', '/path', 'edge-07']),
    Tags: z.array(z.string()),
    Sizes: z.array(z.enum(['small', 'x large'])),
    Groups: z.array(z.object({ Name: z.string() })),
    Live: z.boolean(),
    Created: z.iso.datetime(),
    Timeout: z.string().meta({ kind: 'duration' }),
    Meta: z.object({ 'rack no': z.string(), deep: z.object({ not: z.int() }) }),
    not: z.string(),
  })
  const wrong = fc.constantFrom(
    ...[
      'Statsu == running',
      '"x" in Tgas',
      'Meta["rack np"] == x',
      'Meta.deep.nto == 1',
      'nto == a',
      '"/Statsu" != x',
    ],
    ...['Status == runing', 'Status == "in `quotes`"', 'Status == "/pth"', 'Status in ["edge-7", edge]'],
    ...[
      'Tags == web',
      'Tags != `say "x"`',
      'Tags == "Web" ignoring case',
      'not Tags == "a"',
      'Sizes == "x large"',
    ],
    ...[
      'Groups == x',
      'Groups.Name == x',
      'smal in Sizes',
      '"x-large" not in Sizes',
      'any Groups as g { g.Nmae == x }',
    ],
    ...[
      'Live == yes',
      'Live != OFF',
      'Created > "2026-03-01"',
      'Created == "2026-03-01T12:00"',
      'Timeout < "5 m"',
    ],
    ...['Created < "2026-03-01 12:00:00.5"', 'Status == @Statsu', 'Timeout > "1h 30m"', 'Groups matches x'],
  )
  test('in one that a schema refutes', () => {
    let suggested = 0
    fc.assert(
      fc.property(
        fc.array(wrong, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(' and ', ' or '),
        (all, join) => {
          const source = all.join(join)
          for (const problem of check(source, Job)) {
            if (problem.suggestion === undefined) continue
            suggested += 1
            const { start } = problem.span
            const left = check(replaced(source, problem), Job).filter(
              ({ kind, span }) => kind === problem.kind && span.start === start,
            )
            expect(left).toEqual([])
          }
        },
      ),
      { numRuns: 300 },
    )
    expect(suggested).toBeGreaterThan(300)
  })

  test('in one that does not fit a datum', () => {
    const datum = { Tags: ['a', 'b'], Sizes: [1, 2], Groups: [{ Name: 'a' }], At: new Date(0) }
    const suggestionOf = (source: string) => errorOf(() => compile(source).test(datum))?.suggestion
    expect(suggestionOf('Tags == a')).toBe('"a" in Tags')
    expect(suggestionOf('Sizes != 2')).toBe('"2" not in Sizes')
    expect(compile('"2" not in Sizes').test(datum)).toBe(false)
    expect(suggestionOf('Groups == a')).toBeUndefined()
    expect(suggestionOf('At > "1970-01-02 10:00"')).toBe('"1970-01-02T10:00:00Z"')
  })
})
