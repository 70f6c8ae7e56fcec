import { expect, it } from 'vitest'
import { compile, type Filter } from '../../../../src/filter/index.ts'
import { judging } from '../../../../src/scheduler/service/read/judging.ts'

interface Row {
  readonly Priority: number
  readonly Name: string
  readonly Groups: readonly { readonly Name: string }[]
}

/** How many rows a filter is given at once, at most, when a list of small rows is judged. */
function largestBatch(expression: string): number {
  const rows = Array.from({ length: 5000 }, (_, at): Row => ({ Priority: at, Name: '', Groups: [] }))
  const filter = compile<Row>(expression, { evaluator: 'closures' })
  const { select } = filter
  let largest = 0
  const counting: Filter<Row>['select'] = (some) => {
    largest = Math.max(largest, some.length)
    return select(some)
  }
  judging(undefined, Object.assign(filter, { select: counting })).select(rows)
  return largest
}

// A row takes up to ten milliseconds, and rows that follow small ones may be large.
it.each([
  'any Groups as g { any Groups as h { g.Name == @h.Name } }',
  'Groups.Name == "a"',
  'Name matches "a+b"',
  'Name contains "ab"',
  'Groups is empty',
  'Priority == 1 and not (Priority > 3 or Name == "x" ignoring case)',
])('looks at the time every few rows where one may take long: %s', (expression) => {
  expect(largestBatch(expression)).toBeLessThanOrEqual(4)
})

it.each([
  'Priority == 1',
  'Priority > 3 and Name == "x"',
  'Name in ["a", "b"] or not (Priority between 1 and 5)',
])('looks at the time less often where every row is one look: %s', (expression) => {
  expect(largestBatch(expression)).toBeGreaterThan(4)
})
