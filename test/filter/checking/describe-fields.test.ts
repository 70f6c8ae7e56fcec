import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { check, describeFields, type Operator, parse } from '../../../src/filter/index.ts'

const Job = z.object({
  Status: z.enum(['running', 'dead']),
  Name: z.string(),
  Owner: z.string().nullable(),
  Priority: z.int(),
  Load: z.number().optional(),
  Live: z.boolean(),
  Started: z.iso.datetime(),
  Timeout: z.string().meta({ kind: 'duration' }),
  Tags: z.array(z.string()).nullable(),
  Sizes: z.array(z.enum(['small', 'large'])),
  Meta: z.record(z.string(), z.string()),
  Drain: z.object({ By: z.string() }).nullable(),
  Groups: z.array(z.object({ Name: z.string(), Ports: z.array(z.int()) })),
  Payload: z.unknown(),
})
const fields = describeFields(Job)
const fieldOf = (selector: string) => fields.find((field) => field.selector === selector)

/** How each operator is written. */
const written: Readonly<Record<Operator, string>> = {
  '==': '== ""',
  'one of': 'in ["", "a"]',
  '<': '< ""',
  '<=': '<= ""',
  '>': '> ""',
  '>=': '>= ""',
  in: 'contains ""',
  matches: 'matches ""',
  'is empty': 'is empty',
  'is nil': 'is nil',
  'is present': 'is present',
  'is true': 'is true',
  'is false': 'is false',
  between: 'between "" and ""',
  'starts with': 'starts with ""',
  'ends with': 'ends with ""',
  'count ==': '== 1',
  'count <': '< 1',
  'count <=': '<= 1',
  'count >': '> 1',
  'count >=': '>= 1',
}

describe('the fields of a schema', () => {
  test('come in its order, each before what lies below it, through lists', () => {
    expect(fields.map(({ selector }) => selector)).toEqual([
      ...[
        'Status',
        'Name',
        'Owner',
        'Priority',
        'Load',
        'Live',
        'Started',
        'Timeout',
        'Tags',
        'Sizes',
        'Meta',
      ],
      ...['Drain', 'Drain.By', 'Groups', 'Groups.Name', 'Groups.Ports', 'Payload'],
    ])
  })

  test('have kinds, and the texts that they, or what is in them, may be', () => {
    expect(fieldOf('Status')).toMatchObject({ kind: 'string', texts: ['running', 'dead'], optional: false })
    expect(fieldOf('Sizes')).toMatchObject({ kind: 'list', of: 'string', texts: ['small', 'large'] })
    expect(fieldOf('Meta')).toMatchObject({ kind: 'map', of: 'string' })
    expect(fieldOf('Groups')).toMatchObject({ kind: 'list', of: 'struct' })
    expect(fields.filter(({ optional }) => optional).map(({ selector }) => selector)).toEqual([
      ...['Owner', 'Load', 'Tags', 'Drain'],
    ])
  })

  test.each(fields)('$selector takes the operators that check lets it have, and no others', (field) => {
    const taken = Object.entries(written)
      .filter(([operator, text]) =>
        check(`${operator.startsWith('count') ? 'count ' : ''}${field.selector} ${text}`, Job).every(
          ({ kind }) => kind !== 'type',
        ),
      )
      .map(([operator]) => operator)
    expect([...field.operators].sort()).toEqual(taken.sort())
  })

  test('are plain data', () => {
    expect(JSON.parse(JSON.stringify(fields))).toEqual(fields)
    expect(fieldOf('Owner')).toEqual({
      selector: 'Owner',
      kind: 'string',
      optional: true,
      operators: [
        '==',
        'one of',
        'in',
        'starts with',
        'ends with',
        'matches',
        'is empty',
        'is nil',
        'is present',
      ],
    })
  })

  test('are those that an expression can say: kinds are laid over the schema, what is hidden is left out', () => {
    const Odd = z.object({
      'rack no': z.string(),
      größe: z.string(),
      not: z.string(),
      old: z.int(),
      Key: z.string(),
    })
    const odd = describeFields(Odd, {
      kinds: { Key: 'hidden', Port: 'uint16', New: { alias: 'old', kind: 'unix-ms' } },
    })
    expect(odd.map(({ selector, kind }) => [selector, kind])).toEqual([
      ['"/größe"', 'string'],
      ['"/not"', 'string'],
      ['Port', 'uint16'],
      ['New', 'unix-ms'],
    ])
    for (const { selector } of odd) expect(parse(`${selector} is empty`).type).toBe('match')
  })

  test('go five levels deep, where a schema contains itself', () => {
    const Node = z.object({
      Name: z.string(),
      get Below() {
        return z.array(Node)
      },
    })
    const selectors = describeFields(Node).map(({ selector }) => selector)
    expect(selectors).toHaveLength(10)
    expect(selectors.at(-2)).toBe('Below.Below.Below.Below.Name')
  })

  test('are none where nothing is declared', () => {
    expect(describeFields(z.unknown())).toEqual([])
    expect(describeFields(z.record(z.string(), z.object({ Name: z.string() })))).toEqual([])
  })
})
