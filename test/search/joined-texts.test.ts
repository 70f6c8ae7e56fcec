import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInWord, joinedTexts, substring, wordsOf } from '../../src/search/index.ts'

const text = fc.string({
  unit: fc.constantFrom('a', 'b', '-', ' ', 'ü', '漢', '𝒳', '\u0301', '\u0001'),
  maxLength: 8,
})

describe('joined texts', () => {
  it('find each text that contains a term once, whatever was put before', () => {
    const change = fc.record({ slot: fc.nat(600), text })
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 40 }), { maxLength: 4 }), text, (rounds, term) => {
        fc.pre(term !== '' && !term.includes('\u0001'))
        const joined = joinedTexts()
        const expected: string[] = []
        // Slots are given in ascending order.
        for (let slot = 0; slot <= 600; slot += 1) {
          expected.push('')
          joined.put(slot, '')
        }
        for (const changes of rounds) {
          for (const { slot, text } of changes) {
            expected[slot] = text.replaceAll('\u0001', ' ')
            joined.put(slot, text)
          }
          const found: number[] = []
          joined.find(substring(term), (slot, all, at, start, end) => {
            found.push(slot)
            expect(all.slice(start, end)).toBe(expected[slot])
            expect(all.startsWith(term, at)).toBe(true)
            return end
          })
          expect(found).toEqual([...expected.keys()].filter((slot) => expected[slot]?.includes(term)))
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('the edge of a word', () => {
  it('is where the words of a text start and end', () => {
    fc.assert(
      fc.property(text, (text) => {
        let from = 0
        for (const word of wordsOf(text)) {
          const at = text.indexOf(word, from)
          from = at + word.length
          expect([isInWord(text, at, 'before'), isInWord(text, at, 'after')]).toEqual([false, true])
          expect([isInWord(text, from, 'before'), isInWord(text, from, 'after')]).toEqual([true, false])
        }
      }),
    )
  })
})
