import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../../../src/crypto/index.ts'
import { headOf, pathKey } from '../../../../src/secrets/service/core/path-key.ts'
import { entryNames, secrets } from '../../../../src/secrets/service/kv/records.ts'
import { checkKey, compareKeys, encodePart, limits } from '../../../../src/store/index.ts'

const crypto = nodeCrypto({ scryptLogN: 4 })
const mount = '0'.repeat(36)
const bytesOf = (text: string) => Buffer.byteLength(text)
const keyOf = (path: string) => pathKey(crypto, secrets, mount, path)

/** Paths that begin alike, and differ around the end of a head in characters of every size. */
const pairs = fc
  .tuple(
    fc.constantFrom('', 'a', 'ab', 'abc'),
    fc.constantFrom('x', 'é', '日', '😀', '\u0001'),
    fc.integer({ min: 690, max: 705 }),
    fc.array(
      fc.string({ unit: fc.constantFrom('a', 'é', '日', '😀', '\uffee', '/', '\u0001'), maxLength: 400 }),
      {
        minLength: 2,
        maxLength: 2,
      },
    ),
  )
  .map(([begin, filler, bytes, ends]) => {
    const same = begin + filler.repeat(Math.floor((bytes - begin.length) / bytesOf(encodePart(filler))))
    return ends.map((end) => same + end) as [string, string]
  })
const paths = pairs.map(([path]) => path)

describe('the key of a path', () => {
  it('is the path as it stands, as long as that fits', () => {
    const room = limits.keyBytes - bytesOf(secrets.keyOf(mount, ''))
    for (const path of ['app/db', 'x'.repeat(room), 'é'.repeat(room >> 1)])
      expect(keyOf(path)).toEqual({ key: secrets.keyOf(mount, path), kept: { path } })
    expect(keyOf('x'.repeat(room + 1)).kept.digest).toMatch(/^[0-9a-f]{64}$/)
  })

  it('fits for every path, and is that of no other path', () => {
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        for (const { key } of [keyOf(one), keyOf(other)]) checkKey(key)
        expect(keyOf(one).key === keyOf(other).key).toBe(one === other)
      }),
    )
  })

  it('is that of the record that keeps the path', () => {
    fc.assert(
      fc.property(paths, (path) => {
        const { key, kept } = pathKey(crypto, entryNames, mount, path)
        expect(entryNames.keyOf(...entryNames.parts({ mount, ...kept }))).toBe(key)
      }),
    )
  })
})

describe('the head of a long path', () => {
  it('ends at a whole character, at 700 bytes of the key or a little more', () => {
    fc.assert(
      fc.property(paths, (path) => {
        const head = headOf(path)
        expect(path.startsWith(head)).toBe(true)
        expect(head).not.toMatch(/\p{Cs}/u)
        if (head === path) return
        expect(bytesOf(encodePart(head))).toBeGreaterThanOrEqual(700)
        expect(bytesOf(encodePart(head))).toBeLessThanOrEqual(703)
      }),
    )
  })

  it('is in the order of the paths', () => {
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        const heads = compareKeys(headOf(one), headOf(other))
        if (heads !== 0) expect(Math.sign(heads)).toBe(Math.sign(compareKeys(one, other)))
      }),
    )
  })

  it('begins with no other head', () => {
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        const [a, b] = [headOf(one), headOf(other)]
        if (a !== one && b !== other && a !== b) expect(a.startsWith(b)).toBe(false)
      }),
    )
  })

  it('begins with every folder of the path that is shorter', () => {
    fc.assert(
      fc.property(paths, (path) => {
        for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
          const folder = path.slice(0, at + 1)
          expect(headOf(path).startsWith(headOf(folder))).toBe(true)
        }
      }),
    )
  })
})
