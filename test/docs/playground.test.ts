import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { fragmentOf, sharedIn } from '../../site/.vitepress/playground/address.ts'
import { rowsText, samples } from '../../site/.vitepress/playground/samples.ts'
import { playgroundSession, type Question } from '../../site/.vitepress/playground/session.ts'
import { describeFields } from '../../src/filter/index.ts'

const asking = () => {
  const answer = playgroundSession()
  return (expression: string, more: Partial<Question> = {}) =>
    answer({
      id: 1,
      expression,
      dialect: 'standard',
      sqlDialect: 'postgres',
      chosen: undefined,
      everything: false,
      ...more,
    })
}
const jobs = rowsText(samples['jobs']?.rows ?? [])

describe('the playground', () => {
  it.each(Object.entries(samples))('finds some rows of its sample %s, but not all', (_name, sample) => {
    const { problems, found, total } = asking()(sample.expression, { rows: rowsText(sample.rows) })
    expect(problems).toEqual([])
    expect(found?.passed).toBeGreaterThan(0)
    expect(found?.passed).toBeLessThan(total)
    expect(found?.faults).toBe(0)
  })

  it('keeps the rows between questions, and explains the chosen one', () => {
    const ask = asking()
    ask('', { rows: jobs })
    const { found } = ask('Status == "running" or Count > 3', { chosen: 3 })
    expect(found?.explained?.map(({ text, result }) => [text, result])).toEqual([
      ['Status == "running"', false],
      ['Count > 3', false],
    ])
    expect(found?.sql).toContain('"Status" = $1')
  })

  it('suggests what was meant, by what the rows look like', () => {
    const [problem] = asking()('Stauts == "dead"', { rows: jobs }).problems
    expect(problem).toMatchObject({ suggestion: 'Status', span: { start: 0, end: 6 } })
  })

  it('offers values that recur without refusing others', () => {
    const { fields, problems } = asking()('Status == "lost"', { rows: jobs })
    expect(fields.find(({ selector }) => selector === 'Status')?.texts).toEqual([
      'dead',
      'pending',
      'running',
    ])
    expect(problems).toEqual([])
  })

  it('tells of rows that are not JSON, and answers with those before', () => {
    const ask = asking()
    ask('', { rows: jobs })
    const { rowsError, found } = ask('Status == "dead"', { rows: '[{' })
    expect(rowsError?.message).toMatch(/^line 1, column 3 is not JSON: /)
    expect(rowsError?.offset).toBe(2)
    expect(found?.passed).toBe(2)
    expect(ask('', { rows: '{}' }).rowsError?.message).toMatch(/rows are a JSON array/)
  })

  it.each([
    ['[{"A": 1},\n {"A": oops}]', 'line 2, column 8 is not JSON: ', 18],
    ['[1,]', 'line 1, column 4 is not JSON: ', 3],
    ['[1] x', 'line 1, column 5 is not JSON: ', 4],
    ['', 'line 1, column 1 is not JSON: ', 0],
  ])('says where %j stops being JSON', (rows, place, offset) => {
    const { rowsError } = asking()('', { rows })
    expect(rowsError?.message.startsWith(place), rowsError?.message).toBe(true)
    expect(rowsError?.offset).toBe(offset)
  })

  it('shows the code that the expression becomes', () => {
    const { found } = asking()('Status == "dead"', { rows: jobs })
    expect(found?.code).toContain('"dead"')
    expect(found?.code).toContain('test(d)')
  })

  it.each([
    `${'('.repeat(5000)}A == 1${')'.repeat(5000)}`,
    'Status matches "(a+)+$"',
    `Status == "${'x'.repeat(1_000_000)}"`,
    `Status in [${'"a",'.repeat(50_000)}"b"]`,
  ])('answers a hostile expression, %#', (expression) => {
    const { problems, found } = asking()(expression, {
      rows: JSON.stringify([{ Status: 'a'.repeat(100_000) }]),
    })
    expect(problems.length > 0 || found !== undefined).toBe(true)
  })

  it.each([
    ['JSON Schema', { type: 'object', properties: { Status: { enum: ['running', 'dead'] } } }],
    ['describeFields', describeFields(z.object({ Status: z.enum(['running', 'dead']) }))],
  ])('takes a schema as %s', (_form, schema) => {
    const { problems, schemaError } = asking()('Status == "daed"', {
      rows: jobs,
      schema: JSON.stringify(schema),
    })
    expect(schemaError).toBeUndefined()
    expect(problems[0]?.suggestion).toBe('"dead"')
  })

  it('tells of a schema that cannot be read, and goes by the rows', () => {
    const { schemaError, found } = asking()('Status == "dead"', { rows: jobs, schema: '[{"kind":"string"}]' })
    expect(schemaError).toBe('field 1 has no selector or no kind')
    expect(found?.passed).toBe(2)
  })

  it('restores from its address what was typed', () => {
    const shared = { expression: 'A == "ä&b" and B > 1', dialect: 'bexpr', rows: '[{"A":"#"}]' } as const
    expect(sharedIn(fragmentOf(shared))).toEqual(shared)
    expect(sharedIn(fragmentOf({ expression: 'x', rows: ' '.repeat(5000) }))).toEqual({ expression: 'x' })
  })
})
