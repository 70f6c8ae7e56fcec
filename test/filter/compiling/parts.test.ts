import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  advice,
  builtExpressions,
  compile,
  declaredKinds,
  FilterError,
  type FilterPart,
  fastClosures,
  fastPatterns,
  filterCompiler,
  format,
  generatedCode,
  type Kind,
  linearPatterns,
  parse,
  schemaChecks,
} from '../../../src/filter/index.ts'
import { datum, expression } from '../arbitraries.ts'

const parts = {
  linearPatterns,
  fastClosures,
  generatedCode,
  schemaChecks,
  declaredKinds,
  builtExpressions,
  advice,
}

const errorOf = (run: () => unknown): FilterError => {
  try {
    run()
  } catch (error) {
    if (error instanceof FilterError) return error
    throw error
  }
  throw new Error('there was no error')
}

test('with any parts, results and kinds of errors are those of compile', () => {
  const some = fc.subarray([fastPatterns, fastClosures, generatedCode, advice])
  fc.assert(
    fc.property(some, expression(false), fc.array(datum, { maxLength: 4 }), (chosen, tree, data) => {
      const source = format(tree)
      const options = { dialect: 'bexpr', limits: { matches: Infinity } } as const
      const whole = compile(source, options)
      const made = filterCompiler(linearPatterns, ...chosen)(source, options)
      for (const one of data) {
        const outcome = (run: () => boolean): unknown => {
          try {
            return run()
          } catch (error) {
            return error instanceof FilterError ? [error.kind, error.message] : error
          }
        }
        expect(outcome(() => made.test(one))).toEqual(outcome(() => whole.test(one)))
      }
    }),
  )
})

describe('a compiler', () => {
  test('without any part knows the language', () => {
    const filter = filterCompiler()('Status == "running" and "web" in Tags')
    const rows = [
      { Status: 'running', Tags: ['web'] },
      { Status: 'dead', Tags: ['web'] },
    ]
    expect(filter.select(rows)).toEqual(rows.slice(0, 1))
    for (let time = 0; time < 1000; time += 1) expect(filter.test(rows[0])).toBe(true)
  })

  test('takes what parse returned, and with builtExpressions trees that were made by hand', () => {
    const tree = parse('Status == "running"')
    const built = structuredClone(tree)
    expect(filterCompiler()(tree).test({ Status: 'running' })).toBe(true)
    expect(filterCompiler(builtExpressions)(built).source).toBe('Status == "running"')
    expect(() => filterCompiler()(built)).toThrow('this filter compiler was created without builtExpressions')
  })

  test('without kinds takes each value for what it is, and with them for what it is said to be', () => {
    const at = { at: new Date('2026-03-01T00:00:00Z'), count: 7n, bytes: new Uint8Array([1, 2]) }
    for (const source of ['at > "2026-02-28T00:00:00Z"', 'count >= 7', '1 in bytes'])
      expect(filterCompiler()(source).test(at)).toBe(true)
    const options = { kinds: { for: 'duration', at: 'unix-ms' } } as const
    const filter = filterCompiler(declaredKinds)('for < "2h" and at > "2026-01-31T12:00:00Z"', options)
    expect(filter.test({ for: '1h30m', at: 1_800_000_000_000 })).toBe(true)
    expect(() => filterCompiler()('for < "2h"', options)).toThrow(
      'this filter compiler was created without declaredKinds',
    )
  })

  test('with schemas knows the kinds that a schema declares', () => {
    const schema = z.object({ for: z.string().meta({ kind: 'duration' }), at: z.iso.datetime() })
    const filter = filterCompiler(schemaChecks)('for < "2h" and at > "2026-01-31T12:00:00Z"', { schema })
    expect(filter.test({ for: '1h30m', at: '2026-02-01T00:00:00Z' })).toBe(true)
  })

  test('without patterns refuses each comparison with one', () => {
    const filter = filterCompiler(fastClosures)('Name matches "^web"')
    expect(errorOf(() => filter.test({ Name: 'web-1' }))).toMatchObject({
      kind: 'regex',
      message:
        '"^web" is not a valid regular expression: this filter compiler was created without linearPatterns',
    })
    // With the checks, at once.
    expect(errorOf(() => filterCompiler(schemaChecks)('Name matches "^web"')).kind).toBe('regex')
  })

  test('without checks lets a bad pattern wait for a row', () => {
    const filter = filterCompiler(linearPatterns)('Name matches "("')
    expect(errorOf(() => filter.test({ Name: '' })).kind).toBe('regex')
    expect(errorOf(() => filterCompiler(linearPatterns, schemaChecks)('Name matches "("')).kind).toBe('regex')
  })

  test('a number too long for a double is one double to every operator', () => {
    const datum = { Size: 2 ** 53 }
    for (const compiler of [filterCompiler(), filterCompiler(fastClosures), compile]) {
      const holding = ['<', '<=', '==', '>=', '>'].filter((op) =>
        compiler<{ Size: number }>(`Size ${op} 9007199254740993`).test(datum),
      )
      expect(holding).toEqual(['<=', '==', '>='])
    }
  })

  test('a number is before and behind others as what it equals', () => {
    for (const compiler of [
      filterCompiler(declaredKinds),
      filterCompiler(declaredKinds, fastClosures),
      compile,
    ]) {
      const holding = (wanted: string, Size: unknown, kind: Kind) =>
        ['<', '<=', '==', '>=', '>'].filter((op) =>
          compiler<unknown>(`Size ${op} ${wanted}`, { kinds: { Size: kind } }).test({ Size }),
        )
      // Ten to a float, eight to an integer: Go reads them so.
      expect(holding('"010"', 10, 'any')).toEqual(['<=', '==', '>='])
      expect(holding('"010"', 8, 'int')).toEqual(['<=', '==', '>='])
      expect(holding('18446744073709551615', 2n ** 64n - 1n, 'uint64')).toEqual(['<=', '==', '>='])
    }
  })

  test('without advice says what was expected, and no more', () => {
    expect(errorOf(() => filterCompiler()('Name = "a"'))).toMatchObject({
      kind: 'parse',
      message: expect.stringMatching(/^1:6: expected !=, <, <=, ==, .* but found "="$/),
      suggestion: undefined,
    })
    expect(errorOf(() => filterCompiler(advice)('Name = "a"')).suggestion).toBe('==')
  })

  test('says which part an option needs', () => {
    const schema = z.object({ Name: z.string() })
    expect(() => filterCompiler()('Name == "a"', { schema })).toThrow(
      'this filter compiler was created without schemaChecks',
    )
    expect(() => filterCompiler()('Name == "a"', { evaluator: 'codegen' })).toThrow(
      'this filter compiler was created without generatedCode',
    )
    expect(errorOf(() => filterCompiler(schemaChecks)('Nam == "a"', { schema })).suggestion).toBe('Name')
    expect(filterCompiler(generatedCode)('Name == "a"', { evaluator: 'codegen' }).test({ Name: 'a' })).toBe(
      true,
    )
  })

  test('is made of parts of this package', () => {
    expect(() => filterCompiler({ name: 'fastClosures' } as FilterPart)).toThrow(
      'this filter compiler was created with a value that is not a part',
    )
    for (const [name, part] of Object.entries(parts)) expect(part.name).toBe(name)
  })
})
