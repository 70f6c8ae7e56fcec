import fc from 'fast-check'
import { expect, it } from 'vitest'
import { arrayOf, arrayOfJson } from '../../src/store/postgres/arrays.ts'

it('a list of JSON texts is written as any list of texts is', () => {
  const json = fc.json({ stringUnit: 'binary' })
  fc.assert(
    fc.property(fc.array(json), (texts) => {
      expect(arrayOfJson(texts)).toBe(arrayOf(texts))
    }),
  )
})

it('a text of tens of megabytes may consist of quotes alone', () => {
  const count = 20 * 1024 * 1024 - 1
  // Each becomes \" in JSON, and \\\" in the array.
  expect(arrayOfJson([JSON.stringify('"'.repeat(count))])).toHaveLength(count * 4 + '{"\\"\\""}'.length)
})
