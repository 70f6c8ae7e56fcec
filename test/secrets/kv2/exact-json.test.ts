import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergePatch, readExact, readSubkeys, writeExact } from '../../../src/secrets/kv.ts'

const copy = (text: string) => writeExact(readExact(text))

describe('exact JSON', () => {
  it.each([
    '12345678901234567890',
    '{"n":0.10000000000000000001,"m":1.0,"e":1e400}',
    '{"__proto__":{"x":1},"constructor":null}',
    '[true,false,null,"\\u2028","a\\"b"]',
    '-0',
    '{}',
    '[]',
    '""',
  ])('%s comes back with every digit', (text) => {
    expect(copy(text).replace('\u2028', '\\u2028')).toBe(text)
  })

  it('drops blanks, and of a name that comes twice keeps the last value', () => {
    expect(copy(' { "a" : 1 ,\n"b":[ 1 , 2 ], "a" : 2 } ')).toBe('{"a":2,"b":[1,2]}')
  })

  it('says of every JSON text what the host says', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(copy(text))).toEqual(JSON.parse(text))
      }),
    )
  })

  it('takes no text that the host does not take', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), mangled), (text) => {
        const outcomes = [() => JSON.parse(text), () => readExact(text)].map((read) => {
          try {
            read()
            return true
          } catch {
            return false
          }
        })
        expect(outcomes[1]).toBe(outcomes[0])
      }),
      { numRuns: 2000 },
    )
  })

  it('does not overflow the stack, and does not quote what it refuses', () => {
    expect(() => readExact('['.repeat(100_000))).toThrow(/deeper than 500 levels/)
    expect(() => readExact('{"password":"hunter2",}')).toThrow(SyntaxError)
    expect(() => readExact('{"password":"hunter2",}')).not.toThrow(/hunter2/)
  })
})

/** JSON with one character dropped, doubled or changed. */
const mangled = fc
  .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', '0', '.', '\\', ' ', '\u0001'))
  .map(([text, at, char]) => {
    const where = text.length === 0 ? 0 : at % text.length
    return text.slice(0, where) + char + text.slice(where + (at % 2))
  })

describe('merge patch', () => {
  // RFC 7396, appendix A.
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('%s with %s is %s', (target, patch, result) => {
    expect(mergePatch(target, patch)).toBe(result)
  })

  it('keeps digits on both sides, and treats __proto__ as any name', () => {
    expect(mergePatch('{"a":12345678901234567890,"__proto__":{"b":1}}', '{"__proto__":{"c":2.50}}')).toBe(
      '{"a":12345678901234567890,"__proto__":{"b":1,"c":2.50}}',
    )
    expect(({} as Record<string, unknown>)['c']).toBeUndefined()
  })
})

describe('subkeys', () => {
  const data = '{"a":1,"b":{"c":"x","d":{"e":[1],"f":{}}},"g":{}}'
  it.each([
    [0, '{"a":null,"b":{"c":null,"d":{"e":null,"f":null}},"g":null}'],
    [1, '{"a":null,"b":null,"g":null}'],
    [2, '{"a":null,"b":{"c":null,"d":null},"g":null}'],
    [9, '{"a":null,"b":{"c":null,"d":{"e":null,"f":null}},"g":null}'],
  ])('to depth %d', (depth, names) => {
    expect(readSubkeys(data, depth)).toBe(names)
  })
})
