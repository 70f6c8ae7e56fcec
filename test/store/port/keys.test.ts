import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareKeys,
  encodePart,
  keyOf,
  markOf,
  type Part,
  partsOf,
  prefixEnd,
  prefixOf,
} from '../../../src/store/index.ts'

const text = fc.string({ unit: 'binary' })
const hostile = fc.oneof(text, fc.stringMatching(/^[\u0000-\u0004ab/-]{0,6}$/))
const bytes = (key: string) => Buffer.from(key, 'utf8')

describe('keys', () => {
  it('compare as their UTF-8 bytes do', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(Math.sign(Buffer.compare(bytes(a), bytes(b))))
      }),
      { numRuns: 3000 },
    )
  })

  it('order records part by part, for any parts', () => {
    const byParts = (a: readonly string[], b: readonly string[]): number => {
      for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
        const order = compareKeys(a[at] as string, b[at] as string)
        if (order !== 0) return Math.sign(order)
      }
      return Math.sign(a.length - b.length)
    }
    fc.assert(
      fc.property(
        fc.array(hostile, { minLength: 1, maxLength: 3 }),
        fc.array(hostile, { minLength: 1, maxLength: 3 }),
        (a, b) => {
          expect(Math.sign(compareKeys(keyOf('t', ...a), keyOf('t', ...b)))).toBe(byParts(a, b))
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('give their parts back', () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 4 }), (parts) => {
        expect(partsOf(keyOf('t', ...parts))).toEqual(['t', ...parts])
      }),
    )
  })

  it('keep prefixes: the encoding of a beginning begins the encoding', () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        expect(encodePart(a + b).startsWith(encodePart(a))).toBe(true)
      }),
    )
  })

  it('put a prefix before exactly the keys below it', () => {
    const parts: Part[][] = [['a'], ['a', 'b'], ['a-b'], ['a/b'], ['aa'], ['', 'a'], ['a', '']]
    const below = parts.map((key) => keyOf('t', ...key)).filter((key) => key.startsWith(prefixOf('t', 'a')))
    expect(below).toEqual([keyOf('t', 'a', 'b'), keyOf('t', 'a', '')])
  })

  it('order numbers by size', () => {
    const size = fc.nat({ max: Number.MAX_SAFE_INTEGER })
    fc.assert(
      fc.property(size, size, (a, b) => {
        expect(Math.sign(compareKeys(keyOf('t', a), keyOf('t', b)))).toBe(Math.sign(a - b))
      }),
    )
    for (const wrong of [-1, 1.5, Number.NaN, 2 ** 53])
      expect(() => keyOf('t', wrong)).toThrow('whole number')
  })

  it('end a prefix just behind everything that begins with it', () => {
    fc.assert(
      fc.property(text, text, (prefix, rest) => {
        const end = prefixEnd(prefix)
        if (end !== undefined) expect(compareKeys(prefix + rest, end)).toBeLessThan(0)
        if (end !== undefined) expect(end.startsWith(prefix)).toBe(prefix === '' && end !== '')
      }),
    )
    expect(prefixEnd('')).toBeUndefined()
    expect(prefixEnd('a\u{10ffff}')).toBe('b')
    expect(prefixEnd('\ud7ff')).toBe('\ue000')
  })

  it('tell marks from records', () => {
    expect(markOf('pool', 'default')).toBe('~\u0001pool\u0001default')
    expect(compareKeys(keyOf('zzz', '😀'), markOf('a'))).toBeLessThan(0)
  })
})
