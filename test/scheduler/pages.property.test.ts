import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { given } from './harness.ts'

const names = ['a', 'a-b', 'a_b', 'B', 'b', 'c', 'c1', 'c2', 'd', 'z'] as const
const pool = (Name: string) => ({
  Name,
  Description: `pool ${Name}`,
  Meta: null,
  SchedulerConfiguration: null,
})

const change = fc.record({ add: fc.boolean(), name: fc.constantFrom(...names) })

describe('pages of a list that others write to', () => {
  it('show each row that existed throughout exactly once, and none that never was', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...names)),
        fc.array(change, { maxLength: 30 }),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        fc.constantFrom('', 'Name != "c1"', 'Description matches "^pool "'),
        async (initial, changes, perPage, reverse, filter) => {
          const { scheduler } = await given({
            pools: initial.map((Name) => ({ Name, Description: `pool ${Name}` })),
          })
          const removed = new Set<string>()
          const ever = new Set<string>(['all', 'default', ...initial])
          const seen: string[] = []
          let nextToken: string | undefined
          let at = 0
          let index = 0
          do {
            const page = await scheduler.listPools({ perPage, reverse, filter, nextToken })
            if (!page.ok) throw new Error(page.refusal.message)
            expect(page.index).toBeGreaterThanOrEqual(index)
            index = page.index
            seen.push(...page.value.map(({ Name }) => Name))
            if (seen.length > 1000) throw new Error('the pages do not end')
            nextToken = page.nextToken
            for (const { add, name } of changes.slice(at, at + 3)) {
              if (add) {
                ever.add(name)
                await scheduler.upsertPool(pool(name))
              } else {
                removed.add(name)
                await scheduler.deletePool(name)
              }
            }
            at += 3
          } while (nextToken !== undefined)
          const matches = (name: string) =>
            filter === '' || (filter.startsWith('Name') ? name !== 'c1' : !['all', 'default'].includes(name))
          expect(seen.length).toBe(new Set(seen).size)
          for (const name of seen) expect(ever.has(name) && matches(name)).toBe(true)
          for (const name of initial) if (!removed.has(name) && matches(name)) expect(seen).toContain(name)
        },
      ),
      { numRuns: 60 },
    )
  })
})
