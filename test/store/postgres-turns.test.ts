import { expect, it } from 'vitest'
import { takingTurns } from '../../src/store/postgres/taking-turns.ts'

/** Turns of a clock that the test sets, with the most random wait. */
const turnsAt = () => {
  const clock = { ms: 0 }
  const turns = takingTurns(
    () => clock.ms,
    () => 1,
  )
  const heardAt = (...times: readonly number[]) => {
    for (clock.ms of times) turns.heard()
  }
  const waitMsAt = (ms: number) => {
    clock.ms = ms
    return turns.waitMs()
  }
  return { heardAt, waitMsAt }
}

it('a server announces at once that is alone, or hears another only now and then', () => {
  const { heardAt, waitMsAt } = turnsAt()
  expect(waitMsAt(0)).toBe(0)
  heardAt(1_000)
  expect(waitMsAt(1_001)).toBe(0)
  heardAt(2_000, 2_050)
  expect(waitMsAt(2_051)).toBe(0)
})

it('a server that hears others often lets them announce, for as long as they do', () => {
  const { heardAt, waitMsAt } = turnsAt()
  heardAt(1_000, 1_020)
  expect(waitMsAt(1_020)).toBe(50)
  expect(waitMsAt(1_040)).toBe(30)
  expect(waitMsAt(1_045)).toBe(0)
  heardAt(1_060)
  expect(waitMsAt(1_065)).toBe(45)
  expect(waitMsAt(1_110)).toBe(0)
})
