import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { Type } from 'typebox'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import * as z3 from 'zod/v3'
import { zodToJsonSchema } from 'zod-to-json-schema'
import { check, compile, describeFields, type FilterSchema, jsonSchema } from '../../../src/filter/index.ts'

/** The same row in every library. */
const schemas: Readonly<Record<string, FilterSchema>> = {
  'zod 4': z.object({
    Status: z.enum(['running', 'dead']),
    Name: z.string(),
    Priority: z.int(),
    Load: z.number(),
    Live: z.boolean(),
    Tags: z.array(z.string()),
    Owner: z.object({ Name: z.string() }).nullable(),
    Note: z.string().optional(),
    Meta: z.record(z.string(), z.string()),
  }),
  'zod 3, by zod-to-json-schema': jsonSchema(
    zodToJsonSchema(
      z3.object({
        Status: z3.enum(['running', 'dead']),
        Name: z3.string(),
        Priority: z3.number().int(),
        Load: z3.number(),
        Live: z3.boolean(),
        Tags: z3.array(z3.string()),
        Owner: z3.object({ Name: z3.string() }).nullable(),
        Note: z3.string().optional(),
        Meta: z3.record(z3.string(), z3.string()),
      }),
    ),
  ),
  valibot: jsonSchema(
    toStandardJsonSchema(
      v.object({
        Status: v.picklist(['running', 'dead']),
        Name: v.string(),
        Priority: v.pipe(v.number(), v.integer()),
        Load: v.number(),
        Live: v.boolean(),
        Tags: v.array(v.string()),
        Owner: v.nullable(v.object({ Name: v.string() })),
        Note: v.optional(v.string()),
        Meta: v.record(v.string(), v.string()),
      }),
    ),
  ),
  arktype: jsonSchema(
    type({
      Status: "'running' | 'dead'",
      Name: 'string',
      Priority: 'number.integer',
      Load: 'number',
      Live: 'boolean',
      Tags: 'string[]',
      Owner: [{ Name: 'string' }, '|', 'null'],
      'Note?': 'string',
      Meta: 'Record<string, string>',
    }),
  ),
  TypeBox: jsonSchema(
    Type.Object({
      Status: Type.Union([Type.Literal('running'), Type.Literal('dead')]),
      Name: Type.String(),
      Priority: Type.Integer(),
      Load: Type.Number(),
      Live: Type.Boolean(),
      Tags: Type.Array(Type.String()),
      Owner: Type.Union([Type.Object({ Name: Type.String() }), Type.Null()]),
      Note: Type.Optional(Type.String()),
      Meta: Type.Record(Type.String(), Type.String()),
    }),
  ),
  'an OpenAPI 3.0 component': jsonSchema({
    $ref: '#/components/schemas/Job',
    components: {
      schemas: {
        Owner: { type: 'object', required: ['Name'], properties: { Name: { type: 'string' } } },
        Job: {
          type: 'object',
          required: ['Status', 'Name', 'Priority', 'Load', 'Live', 'Tags', 'Owner', 'Meta'],
          properties: {
            Status: { type: 'string', enum: ['running', 'dead'] },
            Name: { type: 'string' },
            Priority: { type: 'integer' },
            Load: { type: 'number' },
            Live: { type: 'boolean' },
            Tags: { type: 'array', items: { type: 'string' } },
            Owner: { nullable: true, allOf: [{ $ref: '#/components/schemas/Owner' }] },
            Note: { type: 'string' },
            Meta: { type: 'object', additionalProperties: { type: 'string' } },
          },
        },
      },
    },
  }),
}

const bySelector = (schema: FilterSchema) =>
  describeFields(schema).sort((a, b) => (a.selector < b.selector ? -1 : 1))
const wanted = bySelector(schemas['zod 4'] as FilterSchema)

describe.each(Object.entries(schemas))('a schema of %s', (_, schema) => {
  test('describes the same fields', () => {
    // arktype sorts the members of a union.
    const sorted = (fields: typeof wanted) =>
      fields.map((field) => ({ ...field, texts: [...(field.texts ?? [])].sort() }))
    expect(sorted(bySelector(schema))).toEqual(sorted(wanted))
  })

  test('has mistakes told before any row is seen', () => {
    expect(check('Status == "runing"', schema)[0]?.suggestion).toBe('"running"')
    expect(check('Prioriti > 3', schema)[0]?.suggestion).toBe('Priority')
    expect(check('Tags > 3', schema)[0]?.kind).toBe('type')
    expect(check('Meta.any == "x" and Owner.Name == "ada" and Note is missing', schema)).toEqual([])
    const filter = compile('Owner.Name != "ada" and Meta.team is empty', { schema })
    expect(filter.test({ Owner: null, Meta: {} })).toBe(true)
  })
})

test('kinds that JSON Schema does not have are named, and a date-time is a time', () => {
  const fields = describeFields(
    jsonSchema({
      properties: {
        At: { type: 'string', format: 'date-time' },
        Timeout: { type: ['string', 'null'], kind: 'duration' },
        Any: {},
        Pair: { prefixItems: [{ type: 'string' }, { type: 'integer' }] },
        Fixed: { const: 3 },
      },
      required: ['At', 'Timeout', 'Any', 'Pair', 'Fixed'],
    }),
  )
  expect(fields.map(({ selector, kind, optional }) => [selector, kind, optional])).toEqual([
    ['At', 'time', false],
    ['Timeout', 'duration', true],
    ['Any', 'any', false],
    ['Pair', 'list', false],
    ['Fixed', 'float64', false],
  ])
})

test('unlisted properties do not exist, unless they are allowed', () => {
  const of = (additionalProperties: unknown) =>
    jsonSchema({ properties: { a: { type: 'string' } }, additionalProperties })
  expect(check('b == 1', of(undefined))[0]?.kind).toBe('not-found')
  expect(check('b == 1', of(false))[0]?.kind).toBe('not-found')
  expect(check('b == 1', of(true))).toEqual([])
})

test('a schema may contain itself', () => {
  const tree = jsonSchema({
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        required: ['Name', 'Below'],
        properties: { Name: { type: 'string' }, Below: { type: 'array', items: { $ref: '#/$defs/node' } } },
      },
    },
  })
  expect(describeFields(tree)).toHaveLength(10)
  expect(check('Below.Below.Name == 3 and any Below as b { b.Nme == "x" }', tree)[0]?.suggestion).toBe(
    'b.Name',
  )
})

test.each([
  ['#/$defs/gone', 'the $ref "#/$defs/gone" leads to no schema'],
  ['#/$defs/a', 'the $ref "#/$defs/a" leads back to itself'],
  ['other.json#/x', 'the $ref "other.json#/x" is of another document: bundle the schema into one'],
  ['#/constructor/name', 'the $ref "#/constructor/name" leads to no schema'],
])('a $ref to %s is refused', ($ref, message) => {
  const $defs = { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }
  const schema = jsonSchema({ properties: { x: { $ref } }, $defs })
  expect(() => describeFields(schema)).toThrow(new TypeError(message))
})
