import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contextOf } from '../../../src/filter/compiling/context-of.ts'
import { closureOf } from '../../../src/filter/evaluating/closures.ts'
import {
  compile,
  type Evaluator,
  type Expression,
  type Filter,
  FilterError,
  format,
  parse,
} from '../../../src/filter/index.ts'
import { compileRegex } from '../../../src/filter/regex/index.ts'
import { runs } from '../../runs.ts'
import { datum, expression, kinds } from '../arbitraries.ts'
import { evaluate, Refused } from '../reference.ts'

/** `.ci/run` checks each four times as often. */
const numRuns = runs(1000)

const dialects = ['standard', 'bexpr'] as const

function outcome(run: () => boolean): boolean | string {
  try {
    return run()
  } catch (error) {
    if (error instanceof FilterError || error instanceof Refused) return error.kind
    throw error
  }
}

/** The outcome of every datum, or of compiling. */
function outcomes(data: readonly unknown[], make: () => Filter<unknown>): readonly (boolean | string)[] {
  let filter: Filter<unknown> | undefined
  const compiled = outcome(() => {
    filter = make()
    return true
  })
  return filter === undefined ? [compiled] : data.map((one) => outcome(() => filter?.test(one) ?? false))
}

/** Random trees put quantifiers into quantifiers as deep as they like; the data is small. */
const limits = { matches: Infinity }

/** A tree without its places in the text. */
const bare = (node: unknown): unknown =>
  JSON.parse(JSON.stringify(node, (name, value) => (name === 'start' || name === 'end' ? undefined : value)))

describe.each(dialects)('any expression of %s', (dialect) => {
  const standard = dialect === 'standard'

  test('is read back from its canonical text', () => {
    fc.assert(
      fc.property(expression(standard), (tree: Expression) => {
        const text = format(tree)
        const read = parse(text, { dialect, limits })
        expect(bare(read)).toEqual(bare(flattened(tree)))
        expect(format(read)).toBe(text)
      }),
      { numRuns },
    )
  })

  test.each([undefined, { value: 'a' }])(
    'gives the same result in closures, generated code and a plain walk (unknown: %o)',
    (unknown) => {
      fc.assert(
        fc.property(expression(standard), fc.array(datum, { minLength: 1, maxLength: 4 }), (tree, data) => {
          const source = format(tree)
          const options = { dialect, limits, ...(unknown && { unknown: unknown.value }) }
          const filters = (['closures', 'codegen'] as const).map((evaluator: Evaluator) =>
            compile(source, { ...options, evaluator }),
          )
          for (const one of data) {
            const wanted = outcome(() =>
              evaluate(filters[0]?.ast ?? tree, one, { standard, compileRegex, ...(unknown && { unknown }) }),
            )
            for (const filter of filters) {
              expect(outcome(() => filter.test(one))).toBe(wanted)
              expect(outcome(() => filter.select([one]).length === 1)).toBe(wanted)
            }
          }
        }),
        { numRuns },
      )
    },
  )
})

test('a budget ends in closures and in generated code at the same rows', () => {
  fc.assert(
    fc.property(
      expression(true),
      fc.nat(40),
      fc.array(datum, { minLength: 1, maxLength: 4 }),
      (tree, steps, data) => {
        const source = format(tree)
        // Patterns may be too large for the budget before any row is.
        const answers = (['closures', 'codegen'] as const).map((evaluator) =>
          outcomes(data, () => compile(source, { evaluator, limits: { steps } })),
        )
        expect(answers[1]).toEqual(answers[0])
      },
    ),
    { numRuns },
  )
})

describe.each(dialects)('with declared kinds, any expression of %s', (dialect) => {
  test('gives the same result in fast closures, general closures and generated code', () => {
    fc.assert(
      fc.property(
        expression(dialect === 'standard'),
        kinds,
        fc.array(datum, { minLength: 1, maxLength: 6 }),
        (tree, kinds, data) => {
          const source = format(tree)
          const closures = compile(source, { dialect, limits, kinds, evaluator: 'closures' })
          const generated = compile(source, { dialect, limits, kinds, evaluator: 'codegen' })
          const general = closureOf(closures.ast, contextOf(closures))
          for (const one of data) {
            const wanted = outcome(() => general(one, undefined))
            expect(outcome(() => closures.test(one))).toBe(wanted)
            expect(outcome(() => generated.test(one))).toBe(wanted)
          }
        },
      ),
      { numRuns },
    )
  })
})

/** The parser builds `a and b and c` as one node; a tree may nest them, and reading keeps the parentheses. */
const flattened = (tree: Expression): Expression => {
  switch (tree.type) {
    case 'and':
    case 'or':
      return {
        ...tree,
        operands: tree.operands.flatMap((operand) => {
          const flat = flattened(operand)
          return flat.type === tree.type ? flat.operands : [flat]
        }),
      }
    case 'not':
      return { ...tree, operand: flattened(tree.operand) }
    case 'any':
    case 'all':
    case 'none':
      return { ...tree, body: flattened(tree.body) }
    default:
      return tree
  }
}

test.each(['closures', 'codegen'] as const)('%s suggests the negation of what was negated', (evaluator) => {
  const suggested = (source: string): unknown => {
    try {
      return compile(source, { evaluator }).test({ Tags: ['web'] })
    } catch (error) {
      return error instanceof FilterError ? error.suggestion : error
    }
  }
  expect(suggested('Tags != "web"')).toBe('"web" not in Tags')
  expect(suggested('Tags == "web"')).toBe('"web" in Tags')
})
