import { expect, it } from 'vitest'
import { fairQueue } from '../../src/kernel/fair-queue.ts'

it('lets clients take turns: much work of one does not delay others', async () => {
  const queue = fairQueue({ concurrent: 1, waiting: 100 })
  const done: string[] = []
  const works = ['busy', 'busy', 'busy', 'busy', 'calm', 'third', 'busy'].map((lane) =>
    queue(lane, async () => {
      await Promise.resolve()
      done.push(lane)
    }),
  )
  await Promise.all(works)
  expect(done).toEqual(['busy', 'busy', 'calm', 'third', 'busy', 'busy', 'busy'])
})

it('turns work away where its line is full, and takes it again later', async () => {
  const queue = fairQueue({ concurrent: 1, waiting: 1 })
  const works = [1, 2, 3].map((one) => queue('a', async () => one))
  expect(works[2]).toBe(undefined)
  expect(await Promise.all(works)).toEqual([1, 2, undefined])
  expect(await queue('a', async () => 4)).toBe(4)
})

it('continues after a task that failed', async () => {
  const queue = fairQueue({ concurrent: 1, waiting: 5 })
  const failing = queue('a', async () => {
    throw new Error('broken')
  })
  const next = queue('a', async () => 'fine')
  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('fine')
})
