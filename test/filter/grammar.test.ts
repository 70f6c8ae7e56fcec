import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import peggy from 'peggy'
import { expect, test } from 'vitest'
import { parse } from '../../src/filter/generated/filter-parser.js'
import { format } from '../../src/filter/index.ts'
import { pointerSegments } from '../../src/filter/text.ts'
import { expression } from './arbitraries.ts'
import { caseFiles } from './go-cases.ts'

// The parser that is shipped is written by `scripts/peggy-compact.mjs`; Peggy's own of the same grammar is the judge.
const judge = peggy.generate(readFileSync('grammar/filter.peggy', 'utf8'))

interface Reading {
  readonly tree?: unknown
  readonly problem?: readonly unknown[]
}

const given = (bexpr: boolean) => ({
  bexpr,
  unquote: (raw: string, error: (message: string) => never) => (raw.includes('\\') ? error('escape') : raw),
  pointerPath: pointerSegments,
  nest: () => true,
})

class Refused extends Error {
  readonly problem: readonly unknown[]
  constructor(problem: readonly unknown[]) {
    super('refused')
    this.problem = problem
  }
}

function shipped(text: string, bexpr: boolean): Reading {
  try {
    const fail = (message: string | null, start: number, end: number, expected: readonly string[] | null) => {
      throw new Refused(message === null ? [start, [...new Set(expected)].sort()] : [start, end, message])
    }
    return { tree: parse(text, { ...given(bexpr), fail }) }
  } catch (error) {
    if (error instanceof Refused) return { problem: error.problem }
    throw error
  }
}

function judged(text: string, bexpr: boolean): Reading {
  try {
    return { tree: judge.parse(text, given(bexpr)) }
  } catch (error) {
    if (!(error instanceof judge.SyntaxError)) throw error
    const { location, expected, message } = error
    if (expected === null) return { problem: [location.start.offset, location.end.offset, message] }
    const names = expected.map((what) =>
      what.type === 'literal'
        ? what.text
        : what.type === 'other'
          ? what.description
          : what.type === 'end'
            ? 'the end'
            : '',
    )
    // Signs and keywords, names of rules and the end; not the classes of characters.
    return { problem: [location.start.offset, [...new Set(names)].filter((name) => name !== '').sort()] }
  }
}

const agree = (text: string) => {
  for (const bexpr of [true, false]) expect(shipped(text, bexpr)).toEqual(judged(text, bexpr))
}

const fragment = fc.constantFrom(
  ...[
    'a',
    'not',
    'in',
    'is',
    'empty',
    'nil',
    'and',
    'or',
    'any',
    'all',
    'as',
    '_',
    '"x"',
    '"/a/b"',
    '"',
    '`',
  ],
  ...['`y`', '==', '!=', '<', '>=', '(', ')', '{', '}', '[', ']', ',', '.', '@', '-1', '0.5', '01', '\\'],
  ...['contains', 'matches', 'ignoring', 'case', ' ', ' ', ' ', '\n', 'é', '&&', '='],
)

test('the shipped parser reads every case as the generator of grammars does', () => {
  for (const { cases } of caseFiles()) for (const { expr } of cases) agree(expr)
})

test('and any text, with the same tree, or the same expectations at the same place', () => {
  fc.assert(
    fc.property(
      fc.array(fragment, { maxLength: 14 }).map((parts) => parts.join('')),
      agree,
    ),
    {
      numRuns: 1000,
    },
  )
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 20 }), agree))
  fc.assert(
    fc.property(
      fc.oneof(expression(true), expression(false)).map(format),
      fc.nat(),
      fc.nat({ max: 3 }),
      fragment,
      (text, place, drop, insert) => {
        agree(text)
        const at = place % (text.length + 1)
        agree(text.slice(0, at) + insert + text.slice(at + drop))
      },
    ),
    { numRuns: 500 },
  )
})
