import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  advice,
  type CompileOptions,
  check,
  compile,
  complete,
  describeFields,
  filterCompiler,
  type Limits,
  type PageOptions,
  type ParseOptions,
  parse,
  toSql,
} from '../../src/filter/index.ts'

const schema = z.object({ Status: z.string() })
const text = 'Status == "running"'
const filter = compile(text, { schema })
/** As programs without types call it. */
const given = (options: unknown) => options as never
const limits = 'limits.depth, limits.length, limits.matches, limits.steps'

describe('an option that a filter function does not have', () => {
  it.each([
    ['compile', () => compile(text, given({ shema: schema })), 'no option shema: did you mean schema?'],
    ['compile', () => compile(text, given({ Dialect: 'bexpr' })), 'no option Dialect: did you mean dialect?'],
    [
      'compile',
      () => compile(text, given({ limits: { lenght: 5 } })),
      'no option limits.lenght: did you mean limits.length?',
    ],
    [
      'compile',
      () => compile(text, given({ limits: { rows: 5 } })),
      `no option limits.rows: it has ${limits}`,
    ],
    ['parse', () => parse(text, given({ dialekt: 'bexpr' })), 'no option dialekt: did you mean dialect?'],
    ['parse', () => parse(text, given({ schema })), 'no option schema: it has dialect, limits, parameters'],
    ['check', () => check(text, schema, given({ kind: {} })), 'no option kind: did you mean kinds?'],
    [
      'describeFields',
      () => describeFields(schema, given({ kynds: {} })),
      'no option kynds: did you mean kinds?',
    ],
    [
      'toSql',
      () => toSql(filter, given({ colums: { Status: 'status' }, dialect: 'sqlite' })),
      'no option colums: did you mean columns?',
    ],
  ])('is a TypeError of %s that names it and what is near', (name, run, message) => {
    expect(run).toThrow(TypeError)
    expect(run).toThrow(`${name} has ${message}`)
  })

  it.each([
    ['compile', () => compile(text, given(null))],
    ['parse', () => parse(text, given(null))],
    ['check', () => check(text, schema, given(null))],
    ['toSql', () => toSql(filter, given(null))],
  ])('and options that are none are one of %s, too', (name, run) => {
    expect(run).toThrow(TypeError)
    expect(run).toThrow(`${name}: options is null: pass an object`)
  })

  it('is named by every compiler, with a suggestion where advice is a part', () => {
    const plain = filterCompiler()
    expect(() => plain(text, given({ evaluatr: 'auto' }))).toThrow(
      'compile has no option evaluatr: it has computed, dialect, evaluator, kinds, limits, missing, now, parameters, schema, unknown',
    )
    const advised = filterCompiler(advice)
    expect(() => advised(text, given({ evaluatr: 'auto' }))).toThrow(
      'compile has no option evaluatr: did you mean evaluator?',
    )
  })
})

// As those write who pass on options of their own, which may not be set.
describe('an option that is undefined', () => {
  const row = { Status: 'running', At: new Date().toISOString() }
  const limits: Limits = { length: undefined, depth: undefined, matches: undefined, steps: undefined }
  const reading: ParseOptions = { dialect: undefined, parameters: undefined, limits }
  const compiling: CompileOptions<typeof row> = {
    ...reading,
    schema: undefined,
    kinds: undefined,
    computed: undefined,
    evaluator: undefined,
    now: undefined,
    unknown: undefined,
  }
  const page: PageOptions = { offset: undefined, limit: undefined }

  it.each([
    ['compile', () => compile<typeof row>(text, compiling).test(row), true],
    [
      'compile, with a clock',
      () => compile('At > now - 1h', { ...compiling, kinds: { At: 'time' } }).test(row),
      true,
    ],
    ['filterCompiler', () => filterCompiler()<typeof row>(text, compiling).test(row), true],
    ['page', () => compile(text).over([row]).page(page).total, 1],
    ['parse', () => parse(text, reading).type, 'match'],
    ['check', () => check(text, schema, { ...reading, kinds: undefined }), []],
    ['describeFields', () => describeFields(schema, { kinds: undefined }).length, 1],
    [
      'complete',
      () => complete('', 0, { dialect: undefined, fields: undefined, parameters: undefined, schema }).from,
      0,
    ],
    [
      'toSql',
      () => toSql(filter, { columns: { Status: 's' }, dialect: 'postgres', firstParameter: undefined }).text,
      '"s" = $1',
    ],
  ])('is as good as none to %s', (_, run, wanted) => {
    expect(run()).toEqual(wanted)
  })

  it('gives no value to what is missing', () => {
    expect(() => compile('Gone == "x"', { unknown: undefined }).test(row)).toThrow('there is no field "Gone"')
    expect(compile('Gone is nil', { unknown: null }).test(row)).toBe(true)
  })
})
