import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { filterQuery } from '../../../src/filter/index.ts'

const Job = z.object({
  Status: z.enum(['running', 'dead']),
  Priority: z.int(),
  Tags: z.array(z.string()),
})
const rows = [
  { Status: 'running', Priority: 50, Tags: ['web'] },
  { Status: 'dead', Priority: 70, Tags: [] },
] as const
const query = filterQuery(Job)

describe('a query parameter that filters', () => {
  test('selects the rows that match', () => {
    const read = query.read('Priority > 60 or "web" in Tags and Status == dead')
    expect(
      read.ok && read.filter?.select(rows.map((row) => ({ ...row, Tags: [...row.Tags] }))),
    ).toMatchObject([{ Priority: 70 }])
  })

  test.each([undefined, null, ''])('is no filter where it is %s', (given) => {
    expect(query.read(given)).toEqual({ ok: true, filter: undefined })
  })

  test('is refused with the place of the mistake and what would be right', () => {
    expect(query.read('Priority > 60 and Status == "runing"')).toEqual({
      ok: false,
      status: 400,
      problem: {
        kind: 'coercion',
        message: '"runing" is not a value of this field; did you mean "running"?',
        span: { start: 28, end: 36, line: 1, column: 29 },
        suggestion: '"running"',
        caret: 'Priority > 60 and Status == "runing"\n                            ^^^^^^^^',
      },
    })
  })

  test('is refused where it is given twice, as an object or as a number', () => {
    for (const given of [['a == 1', 'b == 2'], { a: '1' }, 3])
      expect(query.read(given)).toMatchObject({
        ok: false,
        problem: { message: 'filter is given more than once; join the expressions with "and"' },
      })
  })

  test('has the limits of its caller', () => {
    const small = filterQuery(Job, { name: 'where', limits: { length: 20, matches: 1 } })
    expect(small.read('Priority > 1 and Priority < 2')).toMatchObject({ problem: { kind: 'limit' } })
    expect(small.openapi).toMatchObject({ name: 'where', schema: { maxLength: 20 } })
  })

  test('is described for OpenAPI, with the fields and an example that can be read', () => {
    const { description, ...rest } = query.openapi
    expect(rest).toEqual({
      name: 'filter',
      in: 'query',
      required: false,
      schema: { type: 'string', maxLength: 8192 },
    })
    expect(description).toBe(
      'An expression that rows must match, such as `Status == "running"`. Fields: Status (string), Priority (int), Tags (list of string).',
    )
    const [, example] = /`(.*)`/.exec(filterQuery(Job.omit({ Status: true })).openapi.description) ?? []
    expect(query.read(example).ok).toBe(true)
  })

  test('names a misspelt option', () => {
    expect(() => filterQuery(Job, { limit: {} } as never)).toThrow('did you mean limits?')
  })
})
