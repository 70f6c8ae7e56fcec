import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ZodType } from 'zod'
import {
  AclTokenWrite,
  JobSpec,
  NodeRecord,
  PoolSpec,
  SchedulerConfiguration,
} from '../../../src/scheduler/index.ts'
import { alreadyParsed } from '../../../src/scheduler/wire/already-parsed.ts'

/** Records with something at every depth. */
const records: readonly (readonly [name: string, schema: ZodType, written: object])[] = [
  [
    'job',
    JobSpec,
    {
      ID: 'web',
      Meta: { team: 'infra' },
      Constraints: [{ LTarget: 'a' }],
      Periodic: { Specs: ['@daily'] },
      Spreads: [{ SpreadTarget: [{ Value: 'dc1' }] }],
      Update: {},
      TaskGroups: [
        { Name: 'a', Volumes: { data: { Type: 'host' } }, Networks: [{ DynamicPorts: [{ Label: 'http' }] }] },
        {
          Name: 'b',
          Tasks: [{ Name: 't', Config: { args: [1, null] }, Lifecycle: {}, Services: [{ Tags: ['x'] }] }],
        },
      ],
    },
  ],
  [
    'node',
    NodeRecord,
    {
      ID: 'n1',
      Drivers: { exec: {} },
      HostVolumes: { data: {} },
      DrainStrategy: {},
      Events: [{ Details: { a: 'b' } }],
    },
  ],
  ['pool', PoolSpec, { Name: 'gpu', Meta: { a: 'b' }, SchedulerConfiguration: {} }],
  ['token', AclTokenWrite, { Type: 'client', Policies: ['dev'] }],
  ['configuration', SchedulerConfiguration, {}],
]

/** Every object and list in a value. */
const inside = (value: unknown): object[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(inside)] : []

const odd = fc.constantFrom<unknown>(undefined, null, '', 'x', -1, 0.5, 1e9, Number.NaN, true, [], {}, [{}], {
  a: 1,
})

describe.each(records)('a %s', (_, schema, written) => {
  const isWhole = alreadyParsed(schema)

  it('is whole as its schema makes it, and not as a person writes it', () => {
    expect(isWhole(schema.parse(written))).toBe(true)
    expect(isWhole(written)).toBe(false)
  })

  it('is complete for any order of its fields', () => {
    const made = Object.entries(schema.parse(written) as object)
    expect(isWhole(Object.fromEntries(made.reverse()))).toBe(true)
  })

  it('is whole at no time when its schema would make something else of it', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(),
        fc.option(odd, { nil: 'left out' as const }),
        fc.boolean(),
        (where, which, value, beside) => {
          const record = structuredClone(schema.parse(written))
          const objects = inside(record)
          const chosen = objects[where % objects.length] ?? {}
          const fields = Object.keys(chosen)
          const beyond = Array.isArray(chosen) ? String(chosen.length) : 'Beside'
          const field = beside ? beyond : (fields[which % fields.length] ?? beyond)
          if (value === 'left out') Reflect.deleteProperty(chosen, field)
          else Reflect.set(chosen, field, value)
          if (!isWhole(record)) return
          const read = schema.safeParse(record)
          expect(read.error).toBeUndefined()
          expect(read.data).toStrictEqual(record)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('is whole in plain objects alone', () => {
    expect(isWhole(Object.create(schema.parse(written) as object))).toBe(false)
    expect(isWhole([])).toBe(false)
    expect(isWhole(null)).toBe(false)
  })
})
