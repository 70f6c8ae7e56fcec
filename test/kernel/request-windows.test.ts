import { expect, it } from 'vitest'
import { requestWindows } from '../../src/kernel/request-windows.ts'

it('beyond the most clients, the one whose window began first is forgotten', () => {
  const count = requestWindows(2)
  const limit = { limit: 1, windowMs: 1000 }
  const isAllowed = (client: string, now: number) => count(client, now, limit).allowed
  expect(isAllowed('a', 0)).toBe(true)
  expect(isAllowed('b', 1)).toBe(true)
  expect(isAllowed('a', 2)).toBe(false)
  expect(isAllowed('c', 3)).toBe(true)
  expect(isAllowed('b', 4)).toBe(false)
  expect(isAllowed('a', 5)).toBe(true)
})

it('a client that exceeds the limit is refused for the block interval, which its requests do not extend', () => {
  const count = requestWindows(2)
  const limit = { limit: 1, windowMs: 1000, blockMs: 5000 }
  expect(count('a', 0, limit)).toMatchObject({ allowed: true, resetAt: 1000 })
  expect(count('a', 500, limit)).toMatchObject({ allowed: false, resetAt: 5500 })
  expect(count('a', 5499, limit)).toMatchObject({ allowed: false, resetAt: 5500 })
  expect(count('a', 5500, limit)).toMatchObject({ allowed: true, resetAt: 6500 })
})
