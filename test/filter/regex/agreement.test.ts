import { expect, test } from 'vitest'
import { comparePairs } from './pairs.ts'

test('random patterns are accepted, refused and found as re2js does, message for message', () => {
  const { disagreements, refused, found, patterns } = comparePairs(20_000, 20_260_101)
  expect(disagreements).toEqual([])
  // The generator reaches both sides of both questions.
  expect(refused).toBeGreaterThan(patterns / 20)
  expect(found).toBeGreaterThan(2_000)
})
