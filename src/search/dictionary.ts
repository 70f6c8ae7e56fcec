/** Runs of 1, 2 and 3 characters are indexed; a shorter term is found directly, a longer one by its rarest run of 3. */
const runLength = 3

/** Where in a word a term is looked for. */
export type Holding = keyof typeof holds

const holds = {
  anywhere: (word: string, term: string) => word.includes(term),
  atStart: (word: string, term: string) => word.startsWith(term),
  atEnd: (word: string, term: string) => word.endsWith(term),
  whole: (word: string, term: string) => word === term,
} as const

/** A part of a term, and where in a word it has to stand. */
export interface Piece {
  readonly text: string
  readonly where: Holding
}

/**
 * Every distinct word of all texts, with its places, searchable by substring: an index of character runs over the
 * words, which are far fewer than the texts.
 *
 * @remarks
 * A place is any number that the caller chooses. Places are only ever added; a caller that removes a text skips its
 * places, and builds a new dictionary when many are dead.
 */
export interface Dictionary {
  /** Adds a place to a word; returns the word's number, 1 or more. */
  readonly add: (word: string, place: number) => number
  /** The word of a number; empty for an unused number. */
  readonly wordAt: (number: number) => string
  /** Calls back with the places of every word that holds the piece; `whole` when it is the word. */
  readonly find: (piece: Piece, found: (places: readonly number[], whole: boolean) => void) => void
  /**
   * Returns the index of the term to look up first; -1 if there are none. It has the fewest places, unless finding that
   * out would mean looking at more words than this one has places.
   */
  readonly quickest: (pieces: readonly Piece[]) => number
}

/** Creates an empty {@link Dictionary}. */
export function dictionary(): Dictionary {
  const words = ['']
  const placesOf: number[][] = [[]]
  const numberOf = new Map<string, number>()
  const numbersByRun = new Map<string, number[]>()

  const enter = (word: string): number => {
    const number = words.push(word) - 1
    placesOf.push([])
    numberOf.set(word, number)
    for (let length = 1; length <= runLength; length += 1)
      for (let at = 0; at + length <= word.length; at += 1) {
        const run = word.slice(at, at + length)
        const numbers = numbersByRun.get(run)
        if (!numbers) numbersByRun.set(run, [number])
        // A run that the word has twice was noted last by the word itself.
        else if (numbers[numbers.length - 1] !== number) numbers.push(number)
      }
    return number
  }

  /** The shortest list of words that every word containing the term is on. */
  const candidates = (term: string): readonly number[] => {
    const length = Math.min(runLength, term.length)
    let shortest: readonly number[] | undefined
    for (let at = 0; at + length <= term.length; at += 1) {
      const numbers = numbersByRun.get(term.slice(at, at + length)) ?? []
      if (!shortest || numbers.length < shortest.length) shortest = numbers
    }
    return shortest ?? []
  }

  const find: Dictionary['find'] = ({ text, where }, found) => {
    if (where === 'whole') {
      const number = numberOf.get(text)
      if (number !== undefined) found(placesOf[number] ?? [], true)
      return
    }
    const holding = holds[where]
    for (const number of candidates(text)) {
      const word = words[number] ?? ''
      if (holding(word, text)) found(placesOf[number] ?? [], word.length === text.length)
    }
  }
  const countOf = (piece: Piece): number => {
    let count = 0
    find(piece, (places) => {
      count += places.length
    })
    return count
  }

  return {
    add: (word, place) => {
      const number = numberOf.get(word) ?? enter(word)
      placesOf[number]?.push(place)
      return number
    },
    wordAt: (number) => words[number] ?? '',
    find,
    quickest: (pieces) => {
      const sizes = pieces.map(({ text }) => candidates(text).length)
      let best = -1
      let fewest = Number.POSITIVE_INFINITY
      for (const at of [...sizes.keys()].sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0))) {
        const piece = pieces[at]
        // A candidate with more words to check than the best has places is skipped.
        if (!piece || (sizes[at] ?? 0) >= fewest) break
        const count = countOf(piece)
        if (count >= fewest) continue
        best = at
        fewest = count
      }
      return best
    },
  }
}

/** Whether a word holds a piece. */
export const holdsPiece = (word: string, { text, where }: Piece): boolean => holds[where](word, text)
