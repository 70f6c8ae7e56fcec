import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leaseSecondsOf, listKeys, writeEntry } from '../../../src/secrets/kv.ts'

describe('writing an entry', () => {
  it('replaces it, digits and all', () => {
    const written = writeEntry({ json: '{"old":1}' }, { json: '{"n":12345678901234567890}' })
    expect(written.ok && written.state).toEqual({ json: '{"n":12345678901234567890}' })
  })

  it.each(['{}', ' { } '])('refuses %j', (json) => {
    const written = writeEntry(undefined, { json })
    expect(written.ok || written.refusal).toEqual({ code: 'missing_fields', message: 'missing data fields' })
  })
})

describe('how long an entry may be kept', () => {
  it.each([
    ['nothing', { a: 1 }, 0],
    ['seconds', { ttl: 90 }, 90],
    ['numeric text', { ttl: '90' }, 90],
    ['a duration', { ttl: '1h30m' }, 5400],
    ['days', { ttl: '2d' }, 172_800],
    ['lease alone', { lease: '10m' }, 600],
    ['ttl before lease', { lease: '10m', ttl: '1m' }, 60],
    ['nonsense', { ttl: 'soon' }, 0],
    ['a negative time', { ttl: -5 }, 0],
    ['no text or number', { ttl: { a: 1 } }, 0],
    ['the word in another field only', { note: '"ttl"' }, 0],
  ])('%s', (_, fields, seconds) => {
    expect(leaseSecondsOf({ json: JSON.stringify(fields) })).toBe(seconds)
    expect(leaseSecondsOf({ json: JSON.stringify(fields) }, 7)).toBe(seconds || 7)
  })
})

describe('lists', () => {
  const paths = ['a', 'a-b', 'a/b', 'a/c/d', 'a/c/e', 'b/x', 'c']

  it.each([
    ['', ['a', 'a-b', 'a/', 'b/', 'c']],
    ['a/', ['b', 'c/']],
    ['a/c/', ['d', 'e']],
    ['c/', []],
    ['nowhere/', []],
  ])('of %j', (folder, keys) => {
    expect(listKeys(paths, folder)).toEqual(keys)
  })

  it('lead to every path and to nothing else', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'a-', '0'), { minLength: 1, maxLength: 4 })
      .map((segments) => segments.join('/'))
    fc.assert(
      fc.property(fc.uniqueArray(path), (some) => {
        const sorted = [...some].sort()
        const walk = (folder: string): string[] =>
          listKeys(sorted, folder).flatMap((key) => (key.endsWith('/') ? walk(folder + key) : [folder + key]))
        expect(walk('').sort()).toEqual(sorted)
      }),
    )
  })
})
