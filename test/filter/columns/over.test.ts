import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  columns,
  compile,
  type Filter,
  FilterError,
  type FilteredRows,
  format,
} from '../../../src/filter/index.ts'
import { datum, expression, kinds } from '../arbitraries.ts'

const limits = { matches: Number.POSITIVE_INFINITY }

/** What a question answers, or the error that it throws. */
function outcome<Answer>(ask: () => Answer): Answer | string {
  try {
    return ask()
  } catch (error) {
    if (error instanceof FilterError) return `${error.kind}: ${error.message}`
    throw error
  }
}

/** Edits of an array, as the rows of a table take them. */
type Edit<Row> =
  | { readonly do: 'insert'; readonly row: Row }
  | { readonly do: 'update'; readonly row: Row; readonly at: number }
  | { readonly do: 'remove'; readonly at: number }

const edit = <Row>(row: fc.Arbitrary<Row>): fc.Arbitrary<Edit<Row>> =>
  fc.oneof(
    fc.record({ do: fc.constant('insert' as const), row }),
    fc.record({ do: fc.constant('update' as const), row, at: fc.nat(100) }),
    fc.record({ do: fc.constant('remove' as const), at: fc.nat(100) }),
  )

/** Makes the same edit in an array and in a table. */
function apply<Row>(
  change: Edit<Row>,
  model: Row[],
  table: Pick<FilteredRows<Row>, 'insert' | 'update' | 'remove'>,
) {
  if (change.do === 'insert') {
    model.push(change.row)
    table.insert(change.row)
    return
  }
  const row = model[change.at % model.length]
  if (model.length === 0) return
  // Where a row is there twice, its first place is meant.
  const at = model.findIndex((each) => Object.is(each, row))
  if (change.do === 'update') {
    expect(table.update(change.row, row as Row)).toBe(true)
    model[at] = change.row
  } else {
    expect(table.remove(row as Row)).toBe(true)
    model.splice(at, 1)
  }
}

/** That all questions are answered as `select` answers them. */
function expectSame<Row>(filter: Filter<Row>, rows: readonly Row[], over: FilteredRows<Row>): void {
  const selected = outcome(() => filter.select(rows))
  expect(outcome(() => over.select())).toEqual(selected)
  const total = typeof selected === 'string' ? selected : selected.length
  expect(outcome(() => over.count())).toEqual(total)
  const page = typeof selected === 'string' ? selected : { rows: selected.slice(1, 4), total }
  expect(outcome(() => over.page({ offset: 1, limit: 3 }))).toEqual(page)
}

/** Enough rows for columns to be worth building: some random ones, many times over. */
const manyRows = (row: fc.Arbitrary<unknown>) =>
  fc
    .tuple(
      fc.array(row, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(100), { minLength: 70, maxLength: 90 }),
    )
    .map(([distinct, picks]) => picks.map((pick) => distinct[pick % distinct.length]))

const job = fc.record({
  Status: fc.constantFrom('running', 'dead', 'pending'),
  Count: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant(null)),
  Tags: fc.subarray(['web', 'db', 'edge']),
  Meta: fc.dictionary(fc.constantFrom('team', 'zone'), fc.constantFrom('a', 'b'), { maxKeys: 2 }),
  Load: fc.double({ noNaN: false }),
  Name: fc.oneof(fc.string(), fc.constant('x'.repeat(300))),
})

const questions = fc.constantFrom(
  'Status == "running"',
  'not (Status == "dead" or Status == "pending")',
  'Status in ["dead", "running"] and "web" in Tags',
  'Count > 3',
  'Count is nil or Count < 5',
  'Meta.team == "a" and Count is not nil and Count between 2 and 6',
  'Meta.team != "a" or Status matches "^r"',
  'Load > 0 and Load <= 100',
  'Name starts with "x" or Name contains "a" ignoring case',
  'Status == "running" and any Tags as t { t == "web" }',
  'any Tags as t { t == "web" } and Status == "running"',
  'count Tags > 1',
  'Tags is empty',
  'Status > 3 or Count > 1',
  'Gone == 1 or Status == "dead"',
)

describe.each(['an array', 'columns'])('a filter over %s', (kind) => {
  const tableOf = <Row>(rows: readonly Row[]) => (kind === 'columns' ? columns(rows) : rows)

  it('answers as select does for any rows, expression and edits', () => {
    fc.assert(
      fc.property(questions, manyRows(job), fc.array(edit(job), { maxLength: 12 }), (text, rows, edits) => {
        const filter = compile<unknown>(text)
        const model = [...rows]
        const over = filter.over(tableOf<unknown>(rows))
        expectSame(filter, model, over)
        for (const change of edits) {
          apply<unknown>(change, model, over)
          expectSame(filter, model, over)
        }
      }),
      { numRuns: 150 },
    )
  })

  it.each(['standard', 'bexpr'] as const)('answers as select does for any data at all, in %s', (dialect) => {
    const options = fc.record({
      kinds: fc.option(kinds, { nil: undefined }),
      unknown: fc.option(fc.constantFrom('a', 1, null), { nil: undefined, freq: 3 }),
    })
    fc.assert(
      fc.property(
        expression(dialect === 'standard'),
        manyRows(datum),
        fc.array(edit(datum), { maxLength: 4 }),
        options,
        (tree, rows, edits, { kinds: declared, unknown }) => {
          let filter: Filter<unknown>
          try {
            filter = compile(format(tree), {
              dialect,
              limits,
              ...(declared && { kinds: declared }),
              ...(unknown !== undefined && { unknown }),
            })
          } catch {
            // What cannot be compiled has no rows.
            return
          }
          const model = [...rows]
          const over = filter.over(tableOf(rows))
          expectSame(filter, model, over)
          for (const change of edits) apply(change, model, over)
          expectSame(filter, model, over)
        },
      ),
      { numRuns: 400 },
    )
  })

  it('can be taken off its filter, as test and select can', () => {
    const { over } = compile<{ n: number }>('n > 1')
    expect(over([{ n: 1 }, { n: 2 }]).select()).toEqual([{ n: 2 }])
  })

  it('takes as many steps for a row as select, and refuses as it does', () => {
    const rows = Array.from({ length: 100 }, (_, at) => ({ Tags: ['a', 'b', 'c'], Name: `n${at % 3}` }))
    for (const steps of [1, 2, 5, 100_000]) {
      const filter = compile<(typeof rows)[number]>('Name matches "n1" or "c" in Tags', { limits: { steps } })
      expectSame(filter, rows, filter.over(tableOf(rows)))
    }
  })

  it('counts the values of a field among the rows that pass', () => {
    const rows = Array.from({ length: 90 }, (_, at) => ({
      Status: at % 3 === 0 ? 'dead' : 'running',
      Tags: at % 2 === 0 ? ['web', 'db', 'web'] : [],
      Owner: at % 9 === 0 ? { Name: null } : null,
      Disks: [{ Kind: 'ssd' }, { Kind: at % 5 === 0 ? 'hdd' : 'ssd' }],
      Since: new Date(at % 2),
    }))
    const over = compile<(typeof rows)[number]>('Status == "running"').over(tableOf(rows))
    expect([...over.facet('Status')]).toEqual([['running', 60]])
    expect([...over.facet('Tags')]).toEqual([
      ['web', 30],
      ['db', 30],
    ])
    expect([...over.facet('Disks.Kind')]).toEqual([
      ['ssd', 60],
      ['hdd', 12],
    ])
    expect([...over.facet('Owner.Name')]).toEqual([])
    expect([...over.facet('Owner')]).toEqual([[null, 60]])
    expect([...over.facet('Since').keys()].sort()).toEqual([
      '1970-01-01T00:00:00.000Z',
      '1970-01-01T00:00:00.001Z',
    ])
    expect([...over.facet('Gone')]).toEqual([])
    expect(() => over.facet('Status == "a"')).toThrow(FilterError)
    over.insert({ ...rows[1], Status: 'running', Tags: ['new'] } as never)
    expect(over.facet('Tags').get('new')).toBe(1)
  })

  it('keeps the order: inserted rows last, updated ones in their place', () => {
    const rows = Array.from({ length: 70 }, (_, at) => ({ Name: `${at}`, On: true }))
    const over = compile<(typeof rows)[number]>('On == true').over(tableOf(rows))
    const [first, second] = rows as [(typeof rows)[number], (typeof rows)[number]]
    const changed = { Name: 'changed', On: true }
    over.insert({ Name: 'last', On: true })
    expect(over.update(changed, second)).toBe(true)
    expect(over.remove(first)).toBe(true)
    expect(over.remove(first)).toBe(false)
    expect(over.update(first, second)).toBe(false)
    const names = over.select().map(({ Name }) => Name)
    expect(names.at(0)).toBe('changed')
    expect(names.at(-1)).toBe('last')
    expect(names).toHaveLength(70)
  })

  it('sees a changed row once it is reported', () => {
    const rows = Array.from({ length: 70 }, () => ({ On: false }))
    const over = compile<{ On: boolean }>('On == true').over(tableOf(rows))
    expect(over.count()).toBe(0)
    const [row] = rows as [{ On: boolean }]
    row.On = true
    over.update(row, row)
    expect(over.select()).toEqual([row])
  })

  it('stays right while rows come and go, many times over', () => {
    const filter = compile<{ n: number }>('n < 50')
    const model = Array.from({ length: 100 }, (_, n) => ({ n }))
    const over = filter.over(tableOf(model))
    for (let round = 0; round < 400; round += 1) {
      const gone = model.splice((round * 37) % model.length, 1)[0]
      if (gone !== undefined) over.remove(gone)
      if (round % 3 !== 0) {
        const fresh = { n: (round * 31) % 100 }
        model.push(fresh)
        over.insert(fresh)
      }
      if (round % 7 === 0) expect(over.select()).toEqual(filter.select(model))
    }
    expect(over.select()).toEqual(filter.select(model))
  })

  it('reads the clock each time', () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const Row = z.object({ At: z.iso.datetime() })
    const rows = Array.from({ length: 80 }, (_, at) => ({ At: new Date(now - at * 60_000).toISOString() }))
    const recent = compile('At > now - 10m', { schema: Row, now: () => now }).over(tableOf(rows))
    expect(recent.count()).toBe(10)
    now += 5 * 60_000
    expect(recent.count()).toBe(5)
  })

  it('asks for the values of parameters, as select does', () => {
    const filter = compile<{ n: number }>('n > $least', { parameters: { least: 'int' } })
    expect(() => filter.over(tableOf([{ n: 1 }])).count()).toThrow('the parameter $least has no value')
    expect(
      filter
        .bind({ least: 1 })
        .over(tableOf([{ n: 1 }, { n: 2 }]))
        .count(),
    ).toBe(1)
  })
})

describe('columns', () => {
  it('are shared: an edit through one filter is seen by all', () => {
    const table = columns(Array.from({ length: 100 }, (_, n) => ({ n })))
    const low = compile<{ n: number }>('n < 10').over(table)
    const high = compile<{ n: number }>('n >= 10').over(table)
    expect([low.count(), high.count()]).toEqual([10, 90])
    low.insert({ n: 50 })
    table.insert({ n: 5 })
    expect([low.count(), high.count(), table.size]).toEqual([11, 91, 102])
  })

  it('keep fields in which every row differs, too', () => {
    const rows = Array.from({ length: 5000 }, (_, at) => ({
      id: `id-${at}`,
      at,
      odd: at % 7 === 0 ? -0 : at / 3,
    }))
    const table = columns(rows)
    for (const text of [
      'id == "id-77"',
      'id ends with "99"',
      'at > 4000 or at < 3',
      'odd <= 0',
      'not (at != 5)',
    ]) {
      const filter = compile<(typeof rows)[number]>(text)
      expect(filter.over(table).select()).toEqual(filter.select(rows))
    }
    const fresh = { id: 'fresh', at: 5001, odd: 1 }
    table.insert(fresh)
    expect(compile<(typeof rows)[number]>('id == "fresh"').over(table).select()).toEqual([fresh])
  })

  /** Rows of a tenant that labels what it likes, whose reads are counted. */
  function labelled(count: number) {
    const reads = { count: 0 }
    const rows = Array.from({ length: count }, (_, n) => ({
      get Labels() {
        reads.count += 1
        return { [`name-${n % 7}`]: `value-${n % 3}` }
      },
    }))
    /** How many reads a call takes. */
    const cost = (call: () => unknown): number => {
      const before = reads.count
      call()
      return reads.count - before
    }
    return { rows, cost }
  }
  const labelIs = (name: string, value = 'value-1') => compile(`Labels["${name}"] == "${value}"`)

  it('are dropped beyond maxBytes, those used least first', () => {
    const { rows, cost } = labelled(100)
    // Three columns of 100 codes, with their dictionaries.
    const table = columns(rows, { maxBytes: 3 * 700 })
    const ask = (name: string) => cost(() => labelIs(name).over(table).count())
    expect(ask('name-0')).toBeGreaterThanOrEqual(100)
    expect(ask('name-0')).toBe(0)
    for (let n = 0; n < 2_000; n += 1) {
      ask(`other-${n}`)
      if (n % 2 === 0) expect(ask('name-0')).toBe(0)
    }
    ask('other-2000')
    expect(ask('other-0')).toBeGreaterThanOrEqual(100)
    expect(labelIs('name-1').over(table).count()).toBe(
      rows.filter((row) => labelIs('name-1').test(row)).length,
    )
  })

  it('that no filter uses cost nothing when a row changes', () => {
    const { rows, cost } = labelled(100)
    const table = columns(rows)
    const used = labelIs('name-0').over(table)
    for (let n = 0; n < 500; n += 1) labelIs(`other-${n}`).over(table).count()
    used.count()
    const [first] = rows as [(typeof rows)[0]]
    expect(cost(() => table.update(first, first))).toBe(0)
    expect(cost(() => used.count())).toBeLessThan(5)
    expect(cost(() => labelIs('other-7').over(table).count())).toBeLessThan(5)
  })

  it('are right after any number of edits between two questions', () => {
    for (const edits of [1, 30, 200]) {
      const rows = Array.from({ length: 100 }, (_, n) => ({ n, kind: `kind-${n % 3}` }))
      const table = columns(rows)
      const ask = () => compile('kind == "kind-9"').over(table).count()
      expect(ask()).toBe(0)
      const changed = rows[0] as (typeof rows)[0]
      for (let at = 0; at < edits; at += 1) table.insert({ n: 100 + at, kind: 'kind-9' })
      table.update({ n: 0, kind: 'kind-9' }, changed)
      expect(ask()).toBe(edits + 1)
    }
  })

  it('are not built where not one fits', () => {
    const rows = Array.from({ length: 100 }, (_, n) => ({ n }))
    const table = columns(rows, { maxBytes: 1 })
    expect(compile('n < 10').over(table).count()).toBe(10)
    expect([...compile('n < 2').over(table).facet('n').values()]).toEqual([1, 1])
    expect(() => columns(rows, { maxBytes: 0 })).toThrow('maxBytes')
    expect(() => columns(rows, { most: 1 } as never)).toThrow('columns')
  })

  it('take an array, and a page whole numbers', () => {
    expect(() => columns({} as never)).toThrow('columns takes an array of rows')
    expect(() => compile('a == 1').over({} as never)).toThrow('over takes an array of rows')
    const over = compile('a == 1').over([])
    expect(() => over.page({ offset: -1 })).toThrow('offset is a whole number from 0, not -1')
    expect(() => over.page({ limits: 1 } as never)).toThrow('page has no option limits')
  })
})
