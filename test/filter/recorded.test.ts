// What the original answered, compiled and run in Go on values of Go types: random expressions on random data, of
// which one was kept for each combination of operator, kind and answer. `fixtures/` holds the cases made by hand.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type CompileOptions, compile, FilterError, type Kind } from '../../src/filter/index.ts'

/** A Go type: a scalar by its name, `any` for an interface, or what it is made of. */
type GoType =
  | string
  | readonly ['list' | 'map' | 'intmap' | 'ptr', GoType]
  | readonly ['array', number, GoType]
  | readonly ['struct', readonly (readonly [name: string, type: GoType])[]]

interface Recorded {
  readonly type: GoType
  readonly value: unknown
  /** The value that stands for what is not there, where the original was given one. */
  readonly unknown?: string
  readonly cases: readonly (readonly [expression: string, answer: boolean | string])[]
}

const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL('./recorded/original.json', import.meta.url), 'utf8'),
)

function kindOfType(type: GoType): Kind {
  if (typeof type === 'string') return type as Kind
  switch (type[0]) {
    case 'list':
      return { list: kindOfType(type[1]) }
    case 'array':
      return { list: kindOfType(type[2]), fixed: true }
    case 'map':
      return { map: kindOfType(type[1]) }
    case 'intmap':
      return { map: kindOfType(type[1]), key: 'int' }
    case 'ptr':
      return { pointer: kindOfType(type[1]) }
    case 'struct':
      return { struct: Object.fromEntries(type[1].map(([name, field]) => [name, kindOfType(field)])) }
  }
}

class Struct {}

/** The value in JavaScript. An interface holds a pair of its type and its value; there a struct is an instance. */
function madeOf(type: GoType, value: unknown, inInterface = false): unknown {
  if (value === null) return null
  if (type === 'any') {
    const [held, inside] = value as [GoType, unknown]
    return madeOf(held, inside, true)
  }
  if (type === 'bytes') return new Uint8Array(Buffer.from(String(value), 'base64'))
  if (type === 'float32' || type === 'float64')
    return Number(value === 'Inf' ? Number.POSITIVE_INFINITY : value)
  if (typeof type === 'string') return inInterface && type === 'int64' ? BigInt(String(value)) : value
  const items = Array.isArray(value) ? value : []
  switch (type[0]) {
    case 'list':
      return items.map((item) => madeOf(type[1], item))
    case 'array':
      return items.map((item) => madeOf(type[2], item))
    case 'map':
    case 'intmap':
      return Object.fromEntries(items.map(([key, item]) => [key, madeOf(type[1], item)]))
    case 'ptr':
      return madeOf(type[1], value)
    case 'struct': {
      const fields = type[1].map(([name, field], at) => [name, madeOf(field, items[at])] as const)
      // A field may be called __proto__.
      const properties = Object.getOwnPropertyDescriptors(Object.fromEntries(fields))
      return Object.defineProperties(inInterface ? new Struct() : {}, properties)
    }
  }
}

const outcome = (expression: string, options: CompileOptions<unknown>, datum: unknown): boolean | string => {
  try {
    // What is random may ask for triples, on data that are small.
    return compile(expression, { dialect: 'bexpr', limits: { matches: Infinity }, ...options }).test(datum)
  } catch (error) {
    if (error instanceof FilterError) return error.kind
    throw error
  }
}

describe.each(['closures', 'codegen'] as const)('as recorded from the original, %s', (evaluator) => {
  test.each(recorded.map((entry, at) => [at, entry] as const))(
    'datum %i',
    (_at, { type, value, unknown, cases }) => {
      const kind = kindOfType(type)
      const options = {
        evaluator,
        ...(typeof kind === 'object' && 'struct' in kind && { kinds: kind.struct }),
        ...(unknown !== undefined && { unknown }),
      }
      const datum = madeOf(type, value)
      const answers = cases.map(([expression]) => [expression, outcome(expression, options, datum)])
      // Where the original crashes, there is a typed error.
      expect(answers).toEqual(
        cases.map(([expression, answer]) => [expression, answer === 'panic' ? 'type' : answer]),
      )
    },
  )
})
