import fc from 'fast-check'
import { Query } from 'mingo'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { compile, FilterError } from '../../../src/filter/index.ts'
import { toMongo } from '../../../src/filter/mongo/index.ts'
import { runs } from '../../runs.ts'

const Row = z.object({
  ID: z.int(),
  Status: z.string().meta({ kind: 'ordered-string' }),
  Owner: z.string().meta({ kind: 'ordered-string' }).nullable(),
  Priority: z.int(),
  Load: z.number().nullable(),
  Live: z.boolean(),
  Quiet: z.boolean().nullable(),
  Tags: z.array(z.string()),
  Ports: z.array(z.int()).nullable(),
  Meta: z.record(z.string(), z.string()),
  Seen: z.date(),
  Items: z.array(z.object({ Name: z.string(), Count: z.int(), Tags: z.array(z.string()) })),
})
type Row = z.infer<typeof Row>

const words = ['', 'a', 'ab', 'A', 'b.', '$a', "it's", '"', 'é😀', '1', '/a', 'a\n', '(', 'null'] as const
const word = fc.constantFrom(...words)
const whole = fc.constantFrom(-1, 0, 1, 2, 50, 2 ** 31, Number.MAX_SAFE_INTEGER)
const real = fc.constantFrom(-1.5, 0, 0.1, 1, 2.5, 1e300, Infinity)
const seen = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.001Z', '1999-12-31T23:59:59.5Z')

const rows: readonly Row[] = fc
  .sample(
    fc.record({
      Status: word,
      Owner: fc.option(word),
      Priority: whole,
      Load: fc.option(real),
      Live: fc.boolean(),
      Quiet: fc.option(fc.boolean()),
      Tags: fc.array(word, { maxLength: 3 }),
      Ports: fc.option(fc.array(whole, { maxLength: 3 })),
      Meta: fc.dictionary(fc.constantFrom('team', 'x'), word),
      Seen: seen.map((text) => new Date(text)),
      Items: fc.array(fc.record({ Name: word, Count: whole, Tags: fc.array(word, { maxLength: 2 }) }), {
        maxLength: 3,
      }),
    }),
    { numRuns: 150, seed: 11 },
  )
  .map((row, ID) => ({ ID, ...row }))
/** As documents may be: fields that are null are missing in every other one. */
const documents = rows.map((row, at) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null || at % 2 === 0)),
)

const text = word.map((one) => JSON.stringify(one).replaceAll('\\"', '\\x22'))
const texts = fc.constantFrom('Status', 'Owner', 'Meta.team')
const comparison = fc.constantFrom('==', '!=', '<', '<=', '>', '>=')
const equality = fc.constantFrom('==', '!=')
const negation = fc.constantFrom('', 'not ')
const pattern = fc.constantFrom('^a', 'b$', '^ab$', 'a', '', '^', '$', '^$', '😀$', '\\\\.$')

const leaf: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(texts, equality, text).map((parts) => parts.join(' ')),
  fc.tuple(text, negation, texts).map(([value, not, field]) => `${value} ${not}in ${field}`),
  fc
    .tuple(texts, negation, fc.array(text, { maxLength: 3 }))
    .map(([field, not, list]) => `${field} ${not}in [${list.join(', ')}]`),
  fc
    .tuple(fc.constantFrom('Priority', 'Load'), comparison, fc.constantFrom('-1', '0', '1', '2147483648'))
    .map((parts) => parts.join(' ')),
  fc
    .tuple(comparison, fc.constantFrom('0.1', '2.5', '"1e300"', '"inf"', '"NaN"'))
    .map(([op, value]) => `Load ${op} ${value}`),
  fc
    .tuple(fc.constantFrom('Live', 'Quiet'), equality, fc.constantFrom('true', 'false'))
    .map((parts) => parts.join(' ')),
  fc.tuple(text, negation).map(([value, not]) => `${value} ${not}in Tags`),
  fc
    .tuple(fc.constantFrom('0', '50', '2147483648'), negation)
    .map(([value, not]) => `${value} ${not}in Ports`),
  fc.tuple(fc.constantFrom('team', 'y'), negation).map(([key, not]) => `${key} ${not}in Meta`),
  fc
    .tuple(fc.constantFrom('Status', 'Owner', 'Meta.team', 'Tags', 'Ports'), negation)
    .map(([field, not]) => `${field} is ${not}empty`),
  fc
    .tuple(fc.constantFrom('Owner', 'Load', 'Quiet'), negation)
    .map(([field, not]) => `${field} is ${not}nil`),
  fc.tuple(texts, negation, pattern).map(([field, not, wanted]) => `${field} ${not}matches "${wanted}"`),
  fc
    .tuple(fc.constantFrom('Status', 'Owner'), equality, fc.constantFrom('Owner', 'Meta.team'))
    .map(([field, op, other]) => `${field} ${op} @${other}`),
  fc.tuple(fc.constantFrom('Status', 'Owner'), comparison, text).map((parts) => parts.join(' ')),
  fc
    .tuple(fc.constantFrom('Status', 'Owner'), negation, text, text)
    .map(([field, not, least, most]) => `${field} ${not}between ${least} and ${most}`),
  comparison.map((op) => `Status ${op} @Owner`),
  comparison.map((op) => `Priority ${op} @ID`),
  fc
    .tuple(texts, negation, fc.constantFrom('starts', 'ends'), text)
    .map(([field, not, end, value]) => `${field} ${not}${end} with ${value}`),
  fc
    .tuple(fc.constantFrom('Priority', 'Load'), negation, fc.constantFrom('-1', '0', '1', '2.5'))
    .map(([field, not, least]) => `${field} ${not}between ${least} and 50`),
  fc
    .tuple(fc.constantFrom('Tags', 'Ports', 'Items'), comparison, fc.constantFrom('0', '1', '2', '2.5', '-1'))
    .map(([field, op, size]) => `count ${field} ${op} ${size}`),
  fc.tuple(fc.constantFrom('Live', 'Quiet'), negation).map(([field, not]) => `${not}${field}`),
  fc.tuple(comparison, seen).map(([op, value]) => `Seen ${op} "${value}"`),
  comparison.map((op) => `Seen ${op} "2026-01-01T00:00:00.0005Z"`),
  fc
    .tuple(fc.constantFrom('any', 'all', 'none'), equality, text)
    .map(([many, op, value]) => `${many} Tags as tag { tag ${op} ${value} }`),
  fc
    .tuple(fc.constantFrom('any', 'all', 'none'), whole, whole)
    .map(([many, a, b]) => `${many} Ports as port { port > ${a} and port != ${b} }`),
  fc
    .tuple(fc.constantFrom('any', 'all', 'none'), text, fc.constantFrom('and', 'or'), comparison, whole)
    .map(([many, name, by, op, count]) => `${many} Items { @.Name == ${name} ${by} @.Count ${op} ${count} }`),
  text.map(
    (value) => `any Items as item { ${value} in item.Tags or any item.Tags as t { t starts with ${value} } }`,
  ),
)
const expression: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc
      .tuple(tie('node'), fc.constantFrom('and', 'or'), tie('node'))
      .map(([a, op, b]) => `(${a}) ${op} (${b})`),
    tie('node').map((one) => `not (${one})`),
  ),
})).node

test('a query matches the documents that the filter matches', () => {
  fc.assert(
    fc.property(expression, (source) => {
      const filter = compile(source, { schema: Row })
      const query = new Query(toMongo(filter))
      const found = documents.filter((document) => query.test(document)).map(({ ID }) => ID)
      expect(found).toEqual(filter.select(rows).map(({ ID }) => ID))
    }),
    { numRuns: runs(3000) },
  )
})

describe('what a query cannot say is refused with its place', () => {
  test.each([
    ['Status matches "^a.c"', 'a regular expression'],
    ['Status == "A" ignoring case', 'ignoring case'],
    ['any Meta as k { k == "a" }', 'a quantifier over what is not declared as a list'],
    ['any Tags as t { t == "a" or t == "b" }', 'this condition on an element'],
    ['any Items as item { item.Count > @Priority }', 'this comparison of two fields'],
    ['any Items as item { Status == "a" }', 'what is not of the element, inside a quantifier'],
    ['Items.Name == "a"', 'a path through a list; use a quantifier'],
    ['Meta["a.b"] == "x"', 'the name "a.b"'],
    ['Meta["$where"] == "x"', 'the name "$where"'],
    ['"$where" in Meta', 'the key "$where"'],
    ['Wait > "1h"', 'a comparison of a duration'],
  ])('%s', (source, message) => {
    const write = () => toMongo(compile(source, { schema: Row, kinds: { Wait: 'duration' } }))
    expect(write).toThrow(FilterError)
    expect(write).toThrow(`a query cannot express this: ${message}`)
  })
})

test('what a user wrote is only ever a value', () => {
  const hostile = ['$where', '{"$gt":""}', '$ne', '__proto__', 'constructor']
  for (const value of hostile) {
    const query = toMongo(
      compile(`Status == ${JSON.stringify(value).replaceAll('\\"', '\\x22')}`, { schema: Row }),
    )
    expect(query).toEqual({ Status: value })
  }
})

test('fields may have other paths in the documents', () => {
  const filter = compile('ID == 7 and Meta.team != core', { schema: Row })
  expect(toMongo(filter, { fields: { ID: '_id', 'Meta.team': 'team' } })).toEqual({
    $and: [{ _id: 7 }, { team: { $not: { $eq: 'core' } } }],
  })
})
