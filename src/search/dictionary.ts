import { postingLists, postingsByText, type ReadRun } from './posting-lists.ts'

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
  /** Calls back with the places of every word that holds the piece, in runs; `whole` when the piece is the word. */
  readonly find: (piece: Piece, found: (...run: [...Parameters<ReadRun>, whole: boolean]) => void) => void
  /**
   * Returns the index of the term to look up first; -1 if there are none. It has the fewest places, unless finding that
   * out would mean looking at more words than this one has places.
   */
  readonly quickest: (pieces: readonly Piece[]) => number
}

/** Creates an empty {@link Dictionary}. */
export function dictionary(): Dictionary {
  const words = ['']
  const numberOf = new Map<string, number>()
  /** The places of each word, in the list of its number. */
  const places = postingLists()
  places.create()
  /** The numbers of the words that have a run of characters. */
  const numbers = postingsByText()

  const enter = (word: string): number => {
    const number = words.push(word) - 1
    places.create()
    numberOf.set(word, number)
    for (let length = 1; length <= runLength; length += 1)
      for (let at = 0; at + length <= word.length; at += 1) numbers.add(word.slice(at, at + length), number)
    return number
  }

  /** The run of a term that the fewest words have: every word that contains the term has it. */
  const rarestRun = (term: string): string => {
    const length = Math.min(runLength, term.length)
    let rarest = term.slice(0, length)
    for (let at = 1; at + length <= term.length; at += 1) {
      const run = term.slice(at, at + length)
      if (numbers.count(run) < numbers.count(rarest)) rarest = run
    }
    return rarest
  }

  /** Calls back with the number of every word that holds a piece; `whole` when the piece is the word. */
  const findWords = ({ text, where }: Piece, found: (number: number, whole: boolean) => void): void => {
    if (where === 'whole') {
      const number = numberOf.get(text)
      if (number !== undefined) found(number, true)
      return
    }
    const holding = holds[where]
    numbers.read(rarestRun(text), (run, from, to) => {
      for (let at = from; at < to; at += 1) {
        const number = run[at] ?? 0
        const word = words[number] ?? ''
        if (holding(word, text)) found(number, word.length === text.length)
      }
    })
  }
  const countOf = (piece: Piece): number => {
    let count = 0
    findWords(piece, (number) => {
      count += places.count(number)
    })
    return count
  }

  return {
    add: (word, place) => {
      const number = numberOf.get(word) ?? enter(word)
      places.add(number, place)
      return number
    },
    wordAt: (number) => words[number] ?? '',
    find: (piece, found) =>
      findWords(piece, (number, whole) =>
        places.read(number, (run, from, to) => found(run, from, to, whole)),
      ),
    quickest: (pieces) => {
      const sizes = pieces.map(({ text }) => numbers.count(rarestRun(text)))
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
