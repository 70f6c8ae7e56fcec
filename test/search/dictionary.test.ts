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
  filled(words).find(asked, (found, from, to) => places.push(...found.subarray(from, to)))
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
    filled(['net', 'network']).find({ text: 'net', where: 'anywhere' }, (...[, , , whole]) =>
      seen.push(whole),
    )
    expect(seen).toEqual([true, false])
  })

  it('begins with a piece that stands in no more places than another, or than that one has words to look at', () => {
    const runLength = 3
    /** How many distinct words have the run of the text that the fewest have. */
    const wordsToLookAt = (words: readonly string[], text: string): number => {
      const length = Math.min(runLength, text.length)
      const runs = [...Array(text.length - length + 1).keys()].map((at) => text.slice(at, at + length))
      return Math.min(...runs.map((run) => new Set(words.filter((each) => each.includes(run))).size))
    }
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 30 }),
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        (words, pieces) => {
          const counts = pieces.map((each) => placesOf(words, each).length)
          const begun = counts[filled(words).quickest(pieces)]
          for (const [at, each] of pieces.entries())
            expect(begun).toBeLessThanOrEqual(Math.max(counts[at] ?? 0, wordsToLookAt(words, each.text)))
        },
      ),
    )
  })

  it('begins with the piece in the fewest places when they are few', () => {
    const words = ['network', 'network', 'network', 'vpc', 'storage']
    const pieces: Piece[] = [
      { text: 'network', where: 'anywhere' },
      { text: 'vpc', where: 'whole' },
      { text: 'storage', where: 'atStart' },
    ]
    expect(filled(words).quickest(pieces)).toBe(1)
  })

  it('begins with none of none', () => {
    expect(dictionary().quickest([])).toBe(-1)
  })
})
