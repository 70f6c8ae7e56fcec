import fc from 'fast-check'
import { expect, it } from 'vitest'
import { numbering } from '../../src/search/index.ts'

const words = ['a', 'b', 'c', 'd', 'e']

it('equal strings of a column have one number, others have others, and strings of the past none', () => {
  const changes = fc.array(fc.tuple(fc.nat(5), fc.option(fc.constantFrom(...words), { nil: undefined })))
  fc.assert(
    fc.property(changes, (made) => {
      const column = numbering()
      const model = new Map<number, string | undefined>()
      for (const [slot, text] of made) {
        column.put(slot, text)
        model.set(slot, text)
      }
      /** The number of a string; 0 if no slot has it. */
      const find = (text: string) => Math.max(0, column.among([text]).indexOf(1))
      const held = new Set(model.values())
      for (const [slot, text] of model) expect(column.bySlot[slot]).toBe(text === undefined ? 0 : find(text))
      const numbers = words.filter((text) => held.has(text)).map(find)
      expect(new Set(numbers).size).toBe(numbers.length)
      expect(numbers).not.toContain(0)
      for (const text of words) if (!held.has(text)) expect(find(text)).toBe(0)
      expect(column.among(words)).toEqual(
        column.among(undefined).map((is, at) => (numbers.includes(at) ? is : 0)),
      )
      const passing = column.passing((text) => text < 'c')
      for (const text of held) if (text !== undefined) expect(passing[find(text)]).toBe(text < 'c')
    }),
  )
})

it('a column is as large as what it holds, however many strings it has held', () => {
  const column = numbering()
  for (let at = 0; at < 10_000; at += 1) column.put(at % 3, `name-${at}`)
  expect(column.passing(() => true).length).toBeLessThan(6)
})
