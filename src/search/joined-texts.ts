/** Ends each text of a chunk. */
const end = '\u0001'

/** Enough for Latin, Greek and Cyrillic letters to have a count each. */
const characterCounts = 2048

/** How many texts are joined into one: a changed text costs joining these again. */
const chunkSize = 256

interface Chunk {
  /** All texts of the chunk, each with its end. */
  joined: string
  /** Where each text's end is. */
  ends: readonly number[]
  /** The texts, if one has changed since they were joined. */
  changed: string[] | undefined
}

/** Finds the next hit at or after a position; -1 if there is none. */
export type NextHit = (joined: string, from: number) => number

/**
 * Receives a hit: the slot of its text, the joined texts with the position of the hit, and where its text starts and
 * ends. Returns the position from which to go on.
 */
export type OnHit = (slot: number, joined: string, at: number, textStart: number, textEnd: number) => number

/**
 * Texts by slot, searchable by substring: they are joined into a few long strings, which the engine searches at the
 * speed of memory.
 */
export function joinedTexts() {
  const chunks: Chunk[] = []
  /** How often each character was put; some rare ones share a count. */
  const counts = new Uint32Array(characterCounts)

  const joinChanged = (chunk: Chunk): void => {
    if (chunk.changed === undefined) return
    let length = 0
    const ends: number[] = []
    for (const text of chunk.changed) {
      length += text.length
      ends.push(length)
      length += 1
    }
    chunk.joined = chunk.changed.join(end) + end
    chunk.ends = ends
    chunk.changed = undefined
  }

  const countOf = (text: string, at: number): number => counts[text.charCodeAt(at) % characterCounts] ?? 0

  /**
   * Finds a substring from its rarest character on: the engine skips to the first character of what it searches for, so
   * that a frequent one makes it stop all the time.
   */
  const finder = (text: string): NextHit => {
    // A text has no such character, but a hit could reach into the next one.
    if (text.includes(end)) return () => -1
    let skip = 0
    for (let at = 1; at < text.length; at += 1) {
      // After its last character nothing is left to compare: every stop is a call.
      const stops = at === text.length - 1 ? 2 * countOf(text, at) : countOf(text, at)
      if (stops < countOf(text, skip)) skip = at
    }
    if (skip === 0) return (joined, from) => joined.indexOf(text, from)
    const tail = text.slice(skip)
    return (joined, from) => {
      let at = joined.indexOf(tail, from + skip)
      while (at !== -1 && !joined.startsWith(text, at - skip)) at = joined.indexOf(tail, at + 1)
      return at === -1 ? -1 : at - skip
    }
  }

  return {
    finder,
    /** Sets the text of a slot; slots are used in ascending order at first. */
    put: (slot: number, text: string): void => {
      for (let at = 0; at < text.length; at += 1) {
        const character = text.charCodeAt(at) % characterCounts
        counts[character] = (counts[character] ?? 0) + 1
      }
      const number = Math.floor(slot / chunkSize)
      const chunk = chunks[number] ?? { joined: '', ends: [], changed: [] }
      chunks[number] = chunk
      chunk.changed ??= chunk.joined.split(end).slice(0, -1)
      chunk.changed[slot % chunkSize] = text.replaceAll(end, ' ')
    },
    /** Joins changed texts, in steps, so that the next search need not. */
    settling: function* (): Generator<void, void> {
      for (const chunk of chunks) {
        joinChanged(chunk)
        yield
      }
    },
    /** Calls back with each hit, in ascending order of slots. */
    find: (next: NextHit, onHit: OnHit): void => {
      for (const [number, chunk] of chunks.entries()) {
        joinChanged(chunk)
        const { joined, ends } = chunk
        let index = 0
        for (let at = next(joined, 0); at !== -1; ) {
          let textEnd = ends[index] ?? joined.length
          while (textEnd < at) {
            index += 1
            textEnd = ends[index] ?? joined.length
          }
          const textStart = index === 0 ? 0 : (ends[index - 1] ?? 0) + 1
          at = next(joined, onHit(number * chunkSize + index, joined, at, textStart, textEnd))
        }
      }
    },
    /** Calls back with each slot whose text contains every term, in ascending order. */
    findAll: (terms: readonly string[], onSlot: (slot: number) => void): void => {
      const finders = terms.map(finder)
      for (const [number, chunk] of chunks.entries()) {
        joinChanged(chunk)
        const { joined, ends } = chunk
        let index = 0
        let textStart = 0
        /** How many terms in a row are in the text. */
        let met = 0
        for (let turn = 0; ; turn = turn + 1 === finders.length ? 0 : turn + 1) {
          const at = finders[turn]?.(joined, textStart) ?? -1
          if (at === -1) break
          if (at < (ends[index] ?? 0)) met += 1
          else {
            // A text without this term is without a search for the others.
            while (at >= (ends[index] ?? joined.length)) index += 1
            textStart = (ends[index - 1] ?? 0) + 1
            met = 1
          }
          if (met < finders.length) continue
          onSlot(number * chunkSize + index)
          textStart = (ends[index] ?? 0) + 1
          index += 1
          met = 0
        }
      }
    },
  }
}

/** Matches separators between the words of one text. */
export const separators = `[^\\p{L}\\p{N}\\p{M}${end}]+`
