import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { characters } from '../../src/search/index.ts'

describe('the characters of texts', () => {
  it('are found slot by slot, with a bit for each text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'z', '0', '/', '-', '~', ' ', 'ü'), maxLength: 8 })
    const slots = fc.array(fc.tuple(text, text), { maxLength: 200 })
    fc.assert(
      fc.property(slots, fc.constantFrom('a', 'z', '0', '/', '-', '~', 'q'), (rows, term) => {
        const known = characters()
        for (const [slot, [first, second]] of rows.entries()) {
          known.add(first, slot, 1)
          known.add(second, slot, 2)
        }
        const column = known.column(term)
        expect(rows.map((_, slot) => column?.[slot] ?? 0)).toEqual(
          rows.map(([first, second]) => (first.includes(term) ? 1 : 0) | (second.includes(term) ? 2 : 0)),
        )
      }),
    )
  })

  it('answer only terms of one printable ASCII character', () => {
    const known = characters()
    known.add('aü', 0, 1)
    for (const term of ['', 'aa', 'ü', ' ', '\n']) expect(known.column(term)).toBeUndefined()
  })
})
