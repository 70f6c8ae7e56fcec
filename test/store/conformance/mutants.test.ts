import { describe, expect, it } from 'vitest'
import { type Harness, type Store, storeConformance } from '../../../src/store/index.ts'
import { type Fault, faults, namedFaults, plainPeer, plainReopened, plainStore } from './plain-store.ts'

const harnessOf = (fault: Fault | undefined, rest: Pick<Harness, 'test'>): Harness => ({
  ...rest,
  peer: (store: Store) => plainPeer(store, fault),
  reopen: (store: Store) => plainReopened(store, fault),
  retaining: async (commits) => plainStore(fault, commits),
  neighbours: 1,
  sequences: 4,
  rounds: 12,
})

describe('a plain adapter without faults', () => {
  storeConformance(async () => plainStore(), harnessOf(undefined, { test: it }))
})

/** The first of the cases that finds a fault, and what it says. */
async function finding(fault: Fault, of?: string): Promise<string | undefined> {
  const cases: (readonly [sentence: string, run: () => Promise<void>])[] = []
  storeConformance(async () => plainStore(fault), harnessOf(fault, { test: (...one) => cases.push(one) }))
  for (const [sentence, run] of cases) {
    if (of !== undefined && sentence !== of) continue
    const found = await run().catch((error: unknown) => error)
    if (found instanceof Error) return `${sentence}: ${found.message}`
  }
  return undefined
}

describe('the suite finds an adapter in which', () => {
  it('there are at least forty kinds of faults', () => {
    expect(new Set(faults).size).toBeGreaterThanOrEqual(40)
  })

  it.each(faults)('%s', async (fault) => {
    expect(await finding(fault)).toBeDefined()
  })

  const named = Object.entries(namedFaults) as [keyof typeof namedFaults, readonly [string, string]][]
  for (const [fault, [sentence, says]] of named) {
    // What a time limit finds is waited for together.
    const test = says.includes('answered') ? it.concurrent : it
    test(fault, async () => {
      expect((await finding(fault, sentence)) ?? 'nothing').toContain(says)
    })
  }
})
