import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { combineKey, splitKey } from '../../src/crypto/index.ts'

const key = Uint8Array.from({ length: 32 }, (_, at) => at * 7)

describe('key shares', () => {
  it('restore the key from any threshold of them, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 40 }),
        fc.integer({ min: 2, max: 8 }).chain((shares) =>
          fc.record({
            shares: fc.constant(shares),
            threshold: fc.integer({ min: 2, max: shares }),
            order: fc.shuffledSubarray([...Array(shares).keys()], { minLength: shares }),
          }),
        ),
        async (secret, { shares, threshold, order }) => {
          const parts = await splitKey(secret, shares, threshold)
          expect(parts).toHaveLength(shares)
          const chosen = order.slice(0, threshold).map((at) => parts[at] as Uint8Array)
          expect(await combineKey(chosen)).toEqual(secret)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('give a wrong key when one is missing', async () => {
    const parts = await splitKey(key, 5, 3)
    expect(await combineKey(parts.slice(0, 2))).not.toEqual(key)
  })

  it('are the key itself for one of one', async () => {
    expect(await splitKey(key, 1, 1)).toEqual([key])
    expect(await combineKey([key])).toEqual(key)
  })

  it('cannot be combined with themselves or with shares of another length', async () => {
    const [first, second] = (await splitKey(key, 3, 2)) as [Uint8Array, Uint8Array]
    expect(await combineKey([first, first])).toBeUndefined()
    expect(await combineKey([first, second.subarray(1)])).toBeUndefined()
    expect(await combineKey([])).toBeUndefined()
  })

  it.each([
    [0, 0],
    [3, 1],
    [2, 3],
    [256, 2],
    [1, 2],
  ])('cannot be %d with threshold %d', async (shares, threshold) => {
    await expect(splitKey(key, shares, threshold)).rejects.toThrow(RangeError)
  })
})
