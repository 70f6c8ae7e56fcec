/** The texts of a module that a search reads. */
export const searched = ['name', 'namespace', 'provider', 'owner', 'description', 'labels'] as const

/** One of {@link searched}. */
export type Searched = (typeof searched)[number]

/** How a term met a text: it is the whole text, a whole word of it, or a part of a word. */
export type Meeting = 'whole' | 'word' | 'part'

/**
 * The points of a term for each kind of match. Every term of a query must match the module somewhere; each counts once,
 * at its best match, and the points of the terms add up. A term with separators is a phrase, and matches with any other
 * separators: `private-vpc` matches "a private VPC". Modules with equal points are ordered by partner modules first,
 * then more downloads, then address.
 */
export const searchPoints = {
  name: { whole: 60, word: 30, part: 12 },
  namespace: { whole: 36, word: 18, part: 6 },
  provider: { whole: 24, word: 24, part: 4 },
  owner: { whole: 20, word: 10, part: 3 },
  description: { whole: 8, word: 8, part: 2 },
  labels: { whole: 8, word: 8, part: 2 },
} as const satisfies Record<Searched, Record<Meeting, number>>

/** The most one term can earn. */
export const mostPoints = Math.max(...Object.values(searchPoints).map(({ whole }) => whole))
