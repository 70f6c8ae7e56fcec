import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { checkCommit } from '../../../src/store/port/check.ts'
import { checkLeastBytes, checkTextBytes, vetForm } from '../../../src/store/port/json.ts'
import { type Json, limits } from '../../../src/store/port/port.ts'

const commitOf = (values: readonly Json[]) => ({
  id: '1',
  put: values.map((value, at) => ({ key: `k${at}`, value })),
})
/** Checks a commit; says what it was refused for, and how often a value was made text. */
const refusalOf = (values: readonly Json[]) => {
  const stringify = vi.spyOn(JSON, 'stringify')
  try {
    checkCommit(commitOf(values))
    return { message: 'none', texts: stringify.mock.calls.length }
  } catch (error) {
    return { message: String(error), texts: stringify.mock.calls.length }
  } finally {
    stringify.mockRestore()
  }
}

describe('the check of a commit', () => {
  it('refuses a gigabyte of values before it makes text of any', () => {
    const text = 'x'.repeat(16 * 1024 * 1024)
    const { message, texts } = refusalOf(Array.from({ length: 60 }, (_, at) => ({ at, text })))
    expect(message).toMatch(/at most 251658240 bytes of JSON in total, not at least 100\d{7}$/)
    expect(texts).toBe(0)
  })

  it('refuses one value that is too large before it makes text of it', () => {
    const { message, texts } = refusalOf([1, ['x'.repeat(limits.valueBytes)]])
    expect(message).toContain('a value has at most 41943040 bytes of JSON, and this one has more')
    expect(texts).toBe(0)
  })

  it('stops making text where the values are too much', () => {
    // Six bytes of text for each character, which only the text shows.
    const value = '\u0001'.repeat(limits.valueBytes / 8)
    const all = Array.from({ length: 64 }, () => [value])
    const { message, texts } = refusalOf(all)
    expect(message).toContain('bytes of JSON in total, not at least')
    expect(texts).toBeLessThan(64)
  })

  it('bounds the text of any JSON from below and from above', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        fc.pre(
          !JSON.stringify(value, (_, inner) => (Object.is(inner, -0) ? 'minus' : inner)).includes('minus'),
        )
        const bytes = checkTextBytes(value)
        expect(checkLeastBytes(value)).toBeLessThanOrEqual(bytes)
        expect(vetForm(value)).toBeGreaterThanOrEqual(bytes)
      }),
    )
  })
})
