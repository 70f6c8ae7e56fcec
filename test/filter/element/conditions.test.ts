import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { schemaOfFields } from '../../../src/filter/checking/schema-of-fields.ts'
import {
  choicesFor,
  expressionOf,
  firstRowOf,
  groupOf,
  isRow,
  rowOf,
  valuesOf,
} from '../../../src/filter/element/conditions.ts'
import { check, describeFields, type Expression, format, parse } from '../../../src/filter/index.ts'
import { expression } from '../arbitraries.ts'

const Job = z.object({
  Status: z.enum(['running', 'dead']),
  Name: z.string(),
  Priority: z.int(),
  Load: z.number().nullable(),
  Live: z.boolean(),
  Started: z.iso.datetime(),
  Timeout: z.string().meta({ kind: 'duration' }),
  Tags: z.array(z.string()).nullable(),
  Ports: z.array(z.int()),
  Meta: z.record(z.string(), z.string()),
  Drain: z.object({ By: z.string() }).nullable(),
})
const fields = describeFields(Job)
const priority = fields.find(({ selector }) => selector === 'Priority')

/** An expression taken apart into groups, and put together again. */
const rebuilt = (node: Expression): Expression => {
  const group = groupOf(node)
  if (group === undefined) return node
  return expressionOf({ ...group, conditions: group.conditions.map(rebuilt) }) ?? node
}

describe('an expression as conditions', () => {
  it('is the same expression again, with any groups', () => {
    fc.assert(
      fc.property(expression(true), (tree) => {
        expect(format(rebuilt(tree))).toBe(format(tree))
      }),
    )
  })

  it.each(
    fields.flatMap((field) => choicesFor(field).map(({ label, ...choice }) => ({ field, choice, label }))),
  )('offers "$field.selector $label" with a value that fits', ({ field, choice }) => {
    const row = rowOf(field, choice, [])
    expect(check(format(row), Job)).toEqual([])
    const read = parse(format(row))
    expect(isRow(read)).toBe(true)
    expect(read).toMatchObject({ op: choice.op, negated: choice.negated })
  })

  it('keeps a value, however it looks', () => {
    const name = fields.find(({ selector }) => selector === 'Name')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const read = name && parse(format(rowOf(name, { op: '==', negated: false }, [text])))
        expect(read?.type === 'match' ? valuesOf(read).map((value) => value.text) : []).toEqual([text])
      }),
    )
  })

  it('begins with the first operator of a field', () => {
    const row = priority && firstRowOf(priority)
    expect(row && format(row)).toBe('Priority == 0')
  })

  it('takes as many values as the operator does', () => {
    const text = (...given: Parameters<typeof rowOf>) => format(rowOf(...given))
    if (priority === undefined) throw new Error('there is no such field')
    expect(text(priority, { op: 'between', negated: true }, ['3'])).toBe('Priority not between 3 and 3')
    expect(text(priority, { op: 'one of', negated: false }, ['3', '4'])).toBe('Priority in [3, 4]')
    expect(text(priority, { op: '<', negated: false }, ['3', '4'])).toBe('Priority < 3')
    expect(text(priority, { op: 'is present', negated: true }, ['3', '4'])).toBe('Priority is missing')
  })

  it.each(['Name == @Status', 'any Tags as t { t == "x" }', 'Name == $name'])('shows %s as text', (text) => {
    const tree = parse(text, { parameters: { name: 'string' } })
    expect(groupOf(tree)).toBeUndefined()
    expect(isRow(tree)).toBe(false)
  })
})

describe('a schema made from descriptions', () => {
  it('is described as they are', () => {
    expect(describeFields(schemaOfFields(JSON.parse(JSON.stringify(fields))))).toEqual(fields)
  })

  it('finds the mistakes that the schema itself finds', () => {
    const copy = schemaOfFields(fields)
    const texts = [
      'Stauts == "dead"',
      'Status == "daed"',
      'Priority == high',
      'Drain.By == 1',
      'Drain.At == 1',
      'Tags > 1',
    ]
    for (const text of texts) expect(check(text, copy)).toEqual(check(text, Job))
  })

  it('refuses what is no description, by its place', () => {
    expect(() => schemaOfFields(JSON.parse('[{"selector":"A","kind":"int"},{"kind":"int"}]'))).toThrow(
      'field 2 has no selector or no kind',
    )
    expect(() => schemaOfFields(JSON.parse('{}'))).toThrow(
      'fields are an array, as describeFields returns them',
    )
  })
})
