import { grown } from './grown.ts'

/** Printable ASCII without the blank; folded texts have no capitals, so those columns are never made. */
const first = 0x21
const last = 0x7e

/**
 * Which characters occur in the texts of a slot: one byte per slot for each printable ASCII character that occurs at
 * all, with a bit for each text.
 *
 * @remarks
 * A term of one character occurs in nearly every text, so iterating over its places costs more than any other query. A
 * column of bytes answers it in one pass.
 */
export function characters() {
  let columns: (Uint8Array<ArrayBuffer> | undefined)[] = []

  return {
    /** Notes the characters of one folded text of a slot. */
    add: (folded: string, slot: number, bit: number): void => {
      for (let at = 0; at < folded.length; at += 1) {
        const code = folded.charCodeAt(at)
        if (code < first || code > last) continue
        const column = grown(columns[code] ?? nothing, slot + 1)
        columns[code] = column
        column[slot] = (column[slot] ?? 0) | bit
      }
    },
    /**
     * The column of a term that is one such character: for each slot, the bits of the texts it occurs in. Slots beyond
     * its end have none. `undefined` for any other term.
     */
    column: (term: string): Uint8Array | undefined => {
      if (term.length !== 1) return undefined
      const code = term.charCodeAt(0)
      return code < first || code > last ? undefined : (columns[code] ?? nothing)
    },
    clear: (): void => {
      columns = []
    },
  }
}

const nothing = new Uint8Array(0)
