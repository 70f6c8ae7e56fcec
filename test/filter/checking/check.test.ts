import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { check, compile, parse } from '../../../src/filter/index.ts'

const Job = z.object({
  Status: z.string(),
  Priority: z.int(),
  Tags: z.array(z.string()),
  Meta: z.record(z.string(), z.string()),
  Groups: z.array(z.object({ Name: z.string(), Count: z.int() })),
  Payload: z.unknown(),
})

const found = (source: string) =>
  check(source, Job).map(({ kind, span, suggestion }) => [
    kind,
    source.slice(span.start, span.end),
    suggestion,
  ])

test('an expression that fits has no problems', () => {
  expect(
    check('Status == "running" and "web" in Tags and Groups.Count > 2 and Payload.deep.down == 1', Job),
  ).toEqual([])
  expect(check('any Groups as g { g.Name == "api" } or all Meta as k, v { k != v }', Job)).toEqual([])
})

test('every problem is reported, each at its place', () => {
  expect(
    found('Statsu == running and (Priority == high or Tags == web) and Status matches "(" and Meta.a.b == 1'),
  ).toEqual([
    ['not-found', 'Statsu', 'Status'],
    ['coercion', 'high', undefined],
    ['type', 'Tags == web', '"web" in Tags'],
    ['regex', '"("', undefined],
    ['not-indexable', 'Meta.a.b', undefined],
  ])
})

test.each([
  ['status == x', 'Status'],
  ['Stauts == x', 'Status'],
  ['Priorty == 1', 'Priority'],
  ['Groups.Nmae == x', 'Groups.Name'],
  ['Zzzzz == 1', undefined],
  ['any Groups as g { g.Coutn == 1 }', 'g.Count'],
])('%s suggests %s', (source, suggestion) => {
  expect(check(source, Job).map((problem) => problem.suggestion)).toEqual([suggestion])
})

test.each([
  ['Priority matches "1"', 'type'],
  ['Priority is empty', 'type'],
  ['Status < 5', 'type'],
  ['Status == @Priority', 'type'],
  ['Status == @Nope', 'not-found'],
  ['Priority in [1, "x"]', 'coercion'],
  ['any Status as s { s == x }', 'type'],
  ['any Tags as t { t.x == 1 }', 'not-indexable'],
  ['any Meta as k { k.x == 1 }', 'type'],
  ['Tags contains 1 and Groups contains x', 'type'],
])('%s has a problem of kind %s', (source, kind) => {
  expect(check(source, Job).map((problem) => problem.kind)).toEqual([kind])
})

test('a text that cannot be read is one problem', () => {
  expect(check('Status = running', Job)).toMatchObject([
    { kind: 'parse', suggestion: '==', span: { line: 1, column: 8 } },
  ])
  expect(check('('.repeat(1000), Job)).toMatchObject([{ kind: 'limit' }])
})

test('a parsed expression keeps its places', () => {
  expect(check(parse('Priority == 1 and\n Statsu == x'), Job)).toMatchObject([
    { span: { start: 19, end: 25, line: 2, column: 2 } },
  ])
})

test('a schema may contain itself', () => {
  interface Tree {
    Name: string
    Children: Tree[]
  }
  const Tree: z.ZodType<Tree> = z.object({ Name: z.string(), Children: z.array(z.lazy(() => Tree)) })
  expect(check('Children.Children.Name == x', Tree)).toEqual([])
  expect(check('Children.Children.Nane == x', Tree)).toMatchObject([{ suggestion: 'Children.Children.Name' }])
})

test('a schema of zod/mini is read like one of zod', () => {
  const Small = mini.object({ Name: mini.string(), Age: mini.optional(mini.number()) })
  expect(check('Nmae == x and Age > 3', Small)).toMatchObject([{ kind: 'not-found', suggestion: 'Name' }])
  expect(compile('Age > 3', { schema: Small }).test({ Name: 'ann' })).toBe(false)
})

describe.each(['closures', 'codegen'] as const)('any key of a map may be missing, by %s', (evaluator) => {
  const schema = z.object({
    Meta: z.record(z.string(), z.string()),
    Ports: z.map(z.string(), z.int()),
    Zones: z.record(z.string(), z.record(z.string(), z.string())),
  })
  const row = { Meta: { team: 'infra' }, Ports: new Map([['http', 80]]), Zones: { eu: { a: 'up' } } }

  test.each([
    ['Meta.gone is nil', true],
    ['Meta.gone is not nil', false],
    ['Meta.team is nil', false],
    ['Meta.team is not nil and Meta.team == infra', true],
    ['Ports.gone is nil', true],
    ['Ports.http is nil', false],
    ['Ports.http > 79', true],
    ['Zones.eu.gone is nil and Zones.eu.a is not nil', true],
    ['any Meta as k, v { v is nil }', false],
  ])('%s: %s', (source, passes) => {
    expect(compile(source, { schema, evaluator }).test(row)).toBe(passes)
  })
})

test('what is compared with nothing elsewhere is asked whether it is missing here', () => {
  const Ticket = z.object({
    Owner: z.object({ Name: z.string() }).nullable(),
    Tags: z.array(z.string()),
    N: z.int(),
  })
  const suggested = (source: string) => check(source, Ticket).map(({ suggestion }) => suggestion)
  expect(suggested('Owner == nil or Tags != none')).toEqual(['Owner is missing', 'Tags is present'])
  expect(suggested('Owner == null or N != null')).toEqual([])
  expect(check('N == nil', Ticket)[0]?.message).toContain('not an integer; for null use "is missing"')
  expect(() => compile('Owner != undefined').test({ Owner: null })).toThrow('did you mean Owner is present?')
})

test('what is no schema of zod 4 is refused rather than taken to allow everything', () => {
  // Programs without types can give one of zod 3.
  const old = { _def: { typeName: 'ZodObject' }, parse: () => ({}) } as never
  const message =
    'not a zod 4 schema; jsonSchema(…) takes JSON Schema, TypeBox, OpenAPI components, valibot and arktype'
  expect(() => check('Gone == 1', old)).toThrow(new TypeError(message))
  expect(() => compile('Gone == 1', { schema: old })).toThrow(new TypeError(message))
})

const Ticket = z.object({
  State: z.enum(['open', 'closed']),
  Kind: z.literal('bug'),
  Size: z.union([z.literal('small'), z.literal('large'), z.null()]),
  Either: z.union([z.literal('none'), z.string()]),
  Labels: z.array(z.enum(['red', 'green'])),
})

test.each([
  ['State == opne', 'opne', '"open"'],
  ['State != "shut"', '"shut"', undefined],
  ['State in ["open", "closd"]', '"closd"', '"closed"'],
  ['Kind == b', 'b', undefined],
  ['Size == smal', 'smal', '"small"'],
  ['geen in Labels', 'geen', '"green"'],
  ['"blue" not in Labels', '"blue"', undefined],
])('%s asks for a text that the field never holds', (source, place, suggestion) => {
  const [problem, ...others] = check(source, Ticket)
  expect(others).toEqual([])
  expect(problem).toMatchObject({ kind: 'coercion', ...(suggestion ? { suggestion } : {}) })
  expect(source.slice(problem?.span.start, problem?.span.end)).toBe(place)
})

test('a text that the field never holds is told what it may hold', () => {
  expect(check('State == zzz', Ticket)[0]?.message).toBe(
    '"zzz" is not a value of this field; it may be "open", "closed"',
  )
  expect(() => compile('State == opne', { schema: Ticket })).toThrow('did you mean "open"?')
})

test.each([
  'State == open',
  'Size == large',
  'Either == anything',
  '"pe" in State',
  'red in Labels',
  'State matches "^o"',
])('%s is a question the field can answer', (source) => expect(check(source, Ticket)).toEqual([]))

test('the bexpr dialect asks for any text', () => {
  expect(check('State == opne', Ticket, { dialect: 'bexpr' })).toEqual([])
})
