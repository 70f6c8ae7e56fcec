import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { check, compile, explain, FilterError, hints, toSql, where } from '../../../src/filter/index.ts'
import { toMongo } from '../../../src/filter/mongo/index.ts'

interface Person {
  readonly Name: string
  readonly Born: number
  readonly Tags: readonly string[]
}
const people: readonly Person[] = [
  { Name: 'ada', Born: 1985, Tags: ['admin'] },
  { Name: 'kim', Born: 2015, Tags: [] },
  { Name: 'lee', Born: 2001, Tags: ['guest', 'web'] },
]
const computed = {
  age: { kind: 'int', of: ({ Born }: Person) => 2026 - Born },
  initials: { kind: 'string', of: ({ Name }: Person) => Name.slice(0, 1) },
  roles: { kind: { list: 'string' }, of: ({ Tags }: Person) => Tags.map((tag) => tag.toUpperCase()) },
  manager: { kind: { optional: 'string' }, of: ({ Name }: Person) => (Name === 'kim' ? 'ada' : undefined) },
} as const
const names = (rows: readonly Person[]) => rows.map(({ Name }) => Name)

describe('a computed field', () => {
  test.each([
    ['age >= 18', ['ada', 'lee']],
    ['age between 10 and 30 and initials != "k"', ['lee']],
    ['ADMIN in roles or age < 18', ['ada', 'kim']],
    ['any roles as r { r starts with "W" }', ['lee']],
    ['count roles == 0', ['kim']],
    ['manager is present', ['kim']],
    ['manager == null and not (age > 30)', ['lee']],
    ['Born > @age and initials == a', ['ada']],
  ])('%s', (source, expected) => {
    for (const evaluator of ['closures', 'codegen', 'auto'] as const) {
      const filter = compile<Person>(source, { computed, evaluator })
      expect(names(people.filter(filter.test))).toEqual(expected)
      expect(names(filter.select(people))).toEqual(expected)
      expect(names(filter.over(people).select())).toEqual(expected)
      expect(names(people.filter((person) => explain(filter, person).result))).toEqual(expected)
    }
  })

  test('equals the same field where rows have it', () => {
    const leaf = fc.oneof(
      fc
        .tuple(fc.constantFrom('==', '!=', '<', '>='), fc.integer({ min: 0, max: 50 }))
        .map(([op, age]) => `age ${op} ${age}`),
      fc.constantFrom('initials == a', 'initials in [k, l]', '"ADMIN" in roles', 'roles is empty'),
    )
    const source = fc
      .array(leaf, { minLength: 1, maxLength: 4 })
      .chain((leaves) => fc.constantFrom(' and ', ' or ').map((joint) => leaves.join(joint)))
    const whole = people.map((person) => ({
      ...person,
      age: computed.age.of(person),
      initials: computed.initials.of(person),
      roles: computed.roles.of(person),
    }))
    fc.assert(
      fc.property(source, fc.constantFrom('closures' as const, 'codegen' as const), (text, evaluator) => {
        const stored = compile<Person>(text, { evaluator, kinds: { age: 'int' } }).select(whole)
        expect(names(compile<Person>(text, { evaluator, computed }).select(people))).toEqual(names(stored))
      }),
    )
  })

  test('is checked like a field of the schema, beside which it stands', () => {
    const schema = z.object({ Name: z.string(), Born: z.int(), Tags: z.array(z.string()).readonly() })
    const compiling = (source: string) => () => compile(source, { schema, computed })
    expect(compiling('agee > 3')).toThrow('age')
    expect(compiling('age == "x"')).toThrow(FilterError)
    expect(compiling('age > 3 and Name == "ada"')().test(people[0] as Person)).toBe(true)
    expect(check('age > 3', schema, { kinds: { age: computed.age.kind } })).toEqual([])
  })

  test('replaces a property of its name, and needs a column in a database', () => {
    const filter = compile<Person>('Born == 1', { computed: { Born: { kind: 'int', of: () => 1 } } })
    expect(filter.select(people)).toHaveLength(3)
    const aged = compile<Person>('age > 18', { computed })
    expect(() => toSql(aged, { dialect: 'postgres', columns: { Name: 'name' } })).toThrow('age')
    expect(toSql(aged, { dialect: 'postgres', columns: { age: 'age_in_years' } }).text).toBe(
      '"age_in_years" > $1::bigint',
    )
    expect(() => toMongo(aged)).toThrow('a computed field')
    expect(hints(compile<Person>('age == 18 and Name == "ada"', { computed }))).toEqual([
      { path: 'Name', op: 'eq', values: ['ada'] },
    ])
    expect(() => aged.over(people).facet('age')).toThrow('there is no field "age"')
  })

  test('throws what its function throws, and is a function', () => {
    const failing = { age: { kind: 'int', of: () => Reflect.get(null as never, 'x') } } as const
    expect(() => compile<Person>('age > 3', { computed: failing }).select(people)).toThrow(TypeError)
    const wrong = { age: { kind: 'int', of: 3 } } as never
    expect(() => compile('age > 3', { computed: wrong })).toThrow('computed.age.of is a function of the row')
    expect(String(where().gt('age', 3))).toBe('age > 3')
  })
})
