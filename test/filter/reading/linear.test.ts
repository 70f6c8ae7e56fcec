import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import peggy from 'peggy'
import { expect, test } from 'vitest'
import { format } from '../../../src/filter/index.ts'
import { pointerSegments } from '../../../src/filter/reading/text.ts'
import { expression } from '../arbitraries.ts'
import { caseFiles } from '../go-cases.ts'

const traced = peggy.generate(readFileSync('grammar/filter.peggy', 'utf8'), { trace: true })

/** How many rules of the grammar are tried on a text. */
function steps(text: string, bexpr: boolean, extended = !bexpr): number {
  let tried = 0
  try {
    traced.parse(text, {
      bexpr,
      extended,
      isMoment: () => true,
      parameter: () => {},
      nest: () => true,
      unquote: (raw: string) => raw,
      pointerPath: pointerSegments,
      tracer: {
        trace: ({ type }: { readonly type: string }) => {
          if (type === 'rule.enter') tried += 1
        },
      },
    })
  } catch {
    // A text that cannot be read costs something too.
  }
  return tried
}

/** No text makes the parser try more rules than this per UTF-16 unit. */
const stepsPerUnit = 20

const allowed = (text: string) => stepsPerUnit * (text.length + 1)

test('reading tries a bounded number of rules for each character', () => {
  for (const bexpr of [true, false]) {
    for (const { cases } of caseFiles()) {
      for (const { expr } of cases) expect(steps(expr, bexpr)).toBeLessThanOrEqual(allowed(expr))
    }
    for (const unit of [
      '(',
      'not ',
      'a==1 or ',
      'any a as b{',
      'a.',
      '"',
      '[',
      'not not in ',
      '(a==1 and ',
    ]) {
      for (const times of [1, 10, 100]) {
        expect(steps(unit.repeat(times), bexpr)).toBeLessThanOrEqual(allowed(unit.repeat(times)))
        const closed = `${'('.repeat(times)}a==1${')'.repeat(times)}`
        expect(steps(closed, bexpr)).toBeLessThanOrEqual(allowed(closed))
      }
    }
  }
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), expression(true).map(format), expression(false).map(format)),
      fc.boolean(),
      (text, bexpr) => {
        expect(steps(text, bexpr)).toBeLessThanOrEqual(allowed(text))
      },
    ),
  )
})

test('ten times the text takes ten times the steps', () => {
  for (const [open, middle, close] of [
    ['(', 'a == 1', ')'],
    ['any a as b { ', 'b == 1', ' }'],
    ['', 'a == 1 or ', 'b == 2'],
    ['not ', 'a == 1', ''],
  ] as const) {
    const make = (times: number) =>
      middle.endsWith('or ')
        ? middle.repeat(times) + close
        : open.repeat(times) + middle + close.repeat(times)
    expect(steps(make(200), false)).toBeLessThan(11 * steps(make(20), false))
  }
})
