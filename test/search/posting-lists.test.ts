import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { postingLists, postingsByText, type ReadRun } from '../../src/search/posting-lists.ts'

const numbersOf = (read: (found: ReadRun) => void): readonly number[] => {
  const numbers: number[] = []
  read((run, from, to) => numbers.push(...run.subarray(from, to)))
  return numbers
}

describe('posting lists', () => {
  it('give every number of every list in the order in which they were added', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(4), fc.integer({ min: 0, max: 2 ** 32 - 1 })), { maxLength: 400 }),
        (additions) => {
          const lists = postingLists()
          const model: number[][] = Array.from({ length: 5 }, () => [])
          for (const _ of model) lists.create()
          for (const [list, number] of additions) {
            lists.add(list, number)
            model[list]?.push(number)
            expect(lists.last(list)).toBe(number)
          }
          for (const [list, numbers] of model.entries()) {
            expect(lists.count(list)).toBe(numbers.length)
            expect(numbersOf((found) => lists.read(list, found))).toEqual(numbers)
          }
        },
      ),
    )
  })

  it('keep lists that are longer than many blocks', () => {
    const lists = postingLists()
    const [even, odd] = [lists.create(), lists.create()]
    const numbers = Array.from({ length: 20_000 }, (_, number) => number)
    for (const number of numbers) lists.add(number % 2 === 0 ? even : odd, number)
    expect(numbersOf((found) => lists.read(even, found))).toEqual(
      numbers.filter((number) => number % 2 === 0),
    )
    expect(numbersOf((found) => lists.read(odd, found))).toEqual(numbers.filter((number) => number % 2 === 1))
  })
})

describe('posting lists of texts', () => {
  it('hold a number once when it is added twice in a row', () => {
    const postings = postingsByText()
    for (const number of [0, 0, 7, 7, 9]) postings.add('aba', number)
    expect(postings.count('aba')).toBe(3)
    expect(numbersOf((found) => postings.read('aba', found))).toEqual([0, 7, 9])
  })

  it('say nothing of a text that was never added', () => {
    const postings = postingsByText()
    postings.add('net', 1)
    expect(postings.count('nett')).toBe(0)
    expect(numbersOf((found) => postings.read('nett', found))).toEqual([])
  })
})
