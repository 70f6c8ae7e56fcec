import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInWord, joinedTexts, wordsOf } from '../../src/search/index.ts'

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
          joined.find(joined.finder(term), (slot, all, at, start, end) => {
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

describe('joined texts with several terms', () => {
  it('are those that contain every one, however the terms stand', () => {
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 600 }),
        fc.array(text, { minLength: 1, maxLength: 4 }),
        (texts, terms) => {
          fc.pre(terms.every((term) => term !== '' && !term.includes('\u0001')))
          const joined = joinedTexts()
          for (const [slot, each] of texts.entries()) joined.put(slot, each)
          const found: number[] = []
          joined.findAll(terms, (slot) => found.push(slot))
          const stored = texts.map((each) => each.replaceAll('\u0001', ' '))
          expect(found).toEqual(
            [...stored.keys()].filter((slot) => terms.every((term) => stored[slot]?.includes(term))),
          )
        },
      ),
      { numRuns: 200 },
    )
  })

  it('are none with a term that would reach into the next text', () => {
    const joined = joinedTexts()
    for (const [slot, each] of ['ab', 'ab', 'ab'].entries()) joined.put(slot, each)
    const found: number[] = []
    for (const term of ['b\u0001a', '\u0001']) joined.findAll([term], (slot) => found.push(slot))
    expect(found).toEqual([])
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
