import { describe, expect, it, test } from 'vitest'
import { type Harness, type Store, storeConformance } from '../../../src/store/index.ts'
import { type Fault, faults, plainPeer, plainReopened, plainStore } from './plain-store.ts'

const harnessOf = (fault: Fault | undefined, rest: Pick<Harness, 'test'>): Harness => ({
  ...rest,
  peer: (store: Store) => plainPeer(store, fault),
  reopen: (store: Store) => plainReopened(store, fault),
  retaining: async (commits) => plainStore(fault, commits),
  sequences: 4,
  rounds: 12,
})

describe('a plain adapter without faults', () => {
  storeConformance(async () => plainStore(), harnessOf(undefined, { test }))
})

/** How long a case may take here. One that takes longer hangs: that is no finding. */
const patienceMs = 10_000

/** The first case that finds a fault, and what it says. */
async function finding(fault: Fault): Promise<string | undefined> {
  const cases: (readonly [sentence: string, run: () => Promise<void>])[] = []
  storeConformance(async () => plainStore(fault), harnessOf(fault, { test: (...one) => cases.push(one) }))
  for (const [sentence, run] of cases) {
    const found = await Promise.race([
      run().then(
        () => undefined,
        (error: unknown) => error,
      ),
      new Promise<'hangs'>((resolve) => setTimeout(() => resolve('hangs'), patienceMs).unref()),
    ])
    if (found === 'hangs') return `hangs: ${sentence}`
    if (found instanceof Error) return `${sentence}: ${found.message}`
  }
  return undefined
}

describe('the suite finds an adapter in which', () => {
  it('there are at least forty kinds of faults', () => {
    expect(new Set(faults).size).toBeGreaterThanOrEqual(40)
  })

  it.each(faults)('%s', async (fault) => {
    const found = await finding(fault)
    expect(found).toBeDefined()
    expect(found).not.toMatch(/^hangs/)
  })
})
