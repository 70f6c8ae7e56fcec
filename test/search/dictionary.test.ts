import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dictionary, holdsPiece, type Piece } from '../../src/search/index.ts'

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', 'ü', '漢'), minLength: 1, maxLength: 6 })
const piece: fc.Arbitrary<Piece> = fc.record({
  text: word,
  where: fc.constantFrom('anywhere', 'atStart', 'atEnd', 'whole'),
})
const filled = (words: readonly string[]) => {
  const made = dictionary()
  for (const [place, each] of words.entries()) made.add(each, place)
  return made
}
const placesOf = (words: readonly string[], asked: Piece) => {
  const places: number[] = []
  filled(words).find(asked, (found) => places.push(...found))
  return places.sort((a, b) => a - b)
}

describe('a dictionary', () => {
  it('finds the places of exactly the words that hold a piece where it should stand', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), piece, (words, asked) => {
        expect(placesOf(words, asked)).toEqual(
          [...words.keys()].filter((place) => holdsPiece(words[place] ?? '', asked)),
        )
      }),
    )
  })

  it('says whether the piece is the whole word', () => {
    const seen: boolean[] = []
    filled(['net', 'network']).find({ text: 'net', where: 'anywhere' }, (_, whole) => seen.push(whole))
    expect(seen).toEqual([true, false])
  })

  it('knows which of some pieces stands in the fewest places', () => {
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 30 }),
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        (words, pieces) => {
          const counts = pieces.map((each) => placesOf(words, each).length)
          expect(counts[filled(words).rarest(pieces)]).toBe(Math.min(...counts))
        },
      ),
    )
  })

  it('has no rarest piece of none', () => {
    expect(dictionary().rarest([])).toBe(-1)
  })
})
