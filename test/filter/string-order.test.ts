import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  check,
  columns,
  compile,
  describeFields,
  explain,
  type FilterError,
  hints,
  jsonSchema,
  toSql,
  where,
} from '../../src/filter/index.ts'
import { toMongo } from '../../src/filter/mongo/index.ts'

const Person = z.object({
  Name: z.string().meta({ kind: 'ordered-string' }),
  Alias: z.string().meta({ kind: 'ordered-string' }).nullable(),
  City: z.string(),
})
type Person = z.infer<typeof Person>
const person = (Name: string, Alias: string | null = null): Person => ({ Name, Alias, City: '' })

const word = fc.string({ unit: 'grapheme-composite', maxLength: 4 })
const points = (text: string) => [...text].map((character) => character.codePointAt(0) ?? 0)
const isBefore = (left: readonly number[], right: readonly number[]): boolean => {
  const at = left.findIndex((point, index) => point !== right[index])
  return at < 0 ? left.length < right.length : at < right.length && Number(left[at]) < Number(right[at])
}

describe('strings that a schema gives an order', () => {
  it.each(['closures', 'codegen'] as const)('are ordered by code point, with %s', (evaluator) => {
    fc.assert(
      fc.property(word, word, (left, right) => {
        const filter = compile<Person>(String(where<Person>().lt('Name', right)), {
          schema: Person,
          evaluator,
        })
        expect(filter.test(person(left))).toBe(isBefore(points(left), points(right)))
      }),
    )
  })

  it('are compared with each other, also within lists and quantifiers', () => {
    const test = (source: string, row: Record<string, unknown>, schema: z.ZodObject = Person) =>
      compile(source, { schema }).test(row)
    expect(test('Name < @Alias', person('a', '😀'))).toBe(true)
    expect(test('Name < @Alias', person('\uffee', '😀'))).toBe(true)
    expect(test('Alias between a and c', person('', 'b'))).toBe(true)
    expect(test('Alias between a and c', person('', null))).toBe(false)
    const Team = z.object({ Names: z.array(z.string().meta({ kind: 'ordered-string' })) })
    expect(test('any Names as name { name >= "m" }', { Names: ['a', 'n'] }, Team)).toBe(true)
  })

  it('may be declared with kinds and in JSON Schema', () => {
    expect(compile('Name < "m"', { kinds: { Name: 'ordered-string' } }).test({ Name: 'a' })).toBe(true)
    const schema = jsonSchema({
      type: 'object',
      properties: { Name: { type: 'string', kind: 'ordered-string' } },
    })
    expect(check('Name < "m"', schema)).toEqual([])
  })

  it('have no order otherwise', () => {
    const problem = (source: string) => check(source, Person).map(({ message }) => message)
    expect(problem('City < "m"')).toEqual(['< does not apply to City (string): strings have no order'])
    expect(problem('Name < @City')).toHaveLength(1)
    expect(() => compile('Name < "m"').test(person('a'))).toThrow('strings have no order')
  })

  it('show their operators to pages, and their ranges to indexes', () => {
    expect(describeFields(Person)[0]).toMatchObject({ kind: 'ordered-string' })
    expect(describeFields(Person)[0]?.operators).toEqual(
      expect.arrayContaining(['<', '<=', '>', '>=', 'between', 'in']),
    )
    expect(hints(compile('Name >= a and Name < b', { schema: Person }))).toEqual([
      { path: 'Name', op: 'range', values: ['a', 'b'] },
    ])
  })

  it('are ordered in columns and explained', () => {
    const filter = compile('Name < "m" and Alias > "a"', { schema: Person })
    const rows = columns([person('a', 'b'), person('z', 'b'), person('b', null)])
    expect(filter.over(rows).count()).toBe(1)
    expect(explain(filter, person('z', 'b')).leaves.map(({ result }) => result)).toEqual([false, null])
  })

  it.each(['"a\\x00"', '"m\\x00z"'])('are refused in SQL with %s, which no column contains', (value) => {
    const filter = compile(`Name < ${value}`, { schema: Person })
    for (const dialect of ['postgres', 'sqlite', 'mysql'] as const)
      expect(() => toSql(filter, { columns: { Name: 'name' }, dialect })).toThrow('SQL cannot express this')
  })

  it('are refused in MongoDB without an order', () => {
    const write = () =>
      toMongo(compile<Person>('Name < @City', { kinds: { Name: 'ordered-string', City: 'string' } }))
    expect(write).toThrow(expect.objectContaining({ kind: 'type' } satisfies Partial<FilterError>))
  })
})

describe('a kind has one name, and takes two that other libraries use', () => {
  it.each([
    ['number', 'float64'],
    ['boolean', 'bool'],
  ] as const)('%s is %s, in kinds, schemas and parameters', (other, name) => {
    const described = (kind: string) => describeFields(z.object({ A: z.unknown().meta({ kind }) }))
    expect(described(other)).toEqual(described(name))
    expect(described(other)[0]?.kind).toBe(name)
    const value = name === 'bool' ? true : 5
    for (const kind of [other, name]) {
      const options = { kinds: { A: kind }, parameters: { x: kind } }
      expect(compile('A == $x', options).bind({ x: value }).test({ A: value })).toBe(true)
      expect(() => compile('A == $x', options).bind({ x: 'y' })).toThrow('the parameter $x is')
    }
  })
})
