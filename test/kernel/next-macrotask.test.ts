import { expect, it } from 'vitest'
import { nextMacrotask } from '../../src/kernel/next-macrotask.ts'

it('a turn ends once promise chains have come to rest, however long they are', async () => {
  let steps = 0
  const chain = (async () => {
    for (; steps < 1000; steps += 1) await undefined
  })()
  await nextMacrotask()
  expect(steps).toBe(1000)
  await chain
})
