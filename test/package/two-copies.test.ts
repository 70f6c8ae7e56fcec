import { describe, expect, it, test, vi } from 'vitest'
import { compile, FilterError, hints, linearPatterns, toSql } from '../../src/filter/index.ts'
import { nodeHashing } from '../../src/http/node/index.ts'
import { DomainError, refuse, unwrap } from '../../src/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import {
  faulty,
  isStoreError,
  memoryBlobs,
  memoryStore,
  StoreError,
  storeConformance,
} from '../../src/store/index.ts'

vi.resetModules()
const second = {
  filter: await import('../../src/filter/index.ts'),
  kernel: await import('../../src/index.ts'),
  store: await import('../../src/store/index.ts'),
}

const thrown = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('two copies of the package in one process', () => {
  it('are two', () => {
    expect(second.store.StoreError).not.toBe(StoreError)
    expect(second.filter.FilterError).not.toBe(FilterError)
  })

  it("recognise each other's errors, and only those", () => {
    const foreign = new second.store.StoreError('unknown', 'the answer was lost')
    expect(foreign).toBeInstanceOf(StoreError)
    expect(isStoreError(foreign, 'unknown')).toBe(true)
    expect(second.store.isStoreError(new StoreError('closed', 'closed'), 'closed')).toBe(true)
    expect(thrown(() => second.filter.compile('Name ='))).toBeInstanceOf(FilterError)
    expect(thrown(() => second.kernel.unwrap(refuse('a', 'b')))).toBeInstanceOf(DomainError)
    expect(thrown(() => unwrap(second.kernel.refuse('a', 'b')))).toBeInstanceOf(second.kernel.DomainError)
    for (const other of [new Error('x'), foreign, {}, null, 'StoreError'])
      expect([other instanceof FilterError, other instanceof DomainError]).toEqual([false, false])
    class Special extends StoreError {}
    expect(new Special('closed', 'closed')).toBeInstanceOf(StoreError)
    expect(new StoreError('closed', 'closed')).not.toBeInstanceOf(Special)
  })

  it("take each other's filters and parts", () => {
    const foreign = second.filter.compile('Name == "web" and Count > 2')
    const own = compile('Name == "web" and Count > 2')
    const columns = { columns: { Name: 'name', Count: 'count' }, dialect: 'sqlite' } as const
    expect(hints(foreign as never)).toEqual(hints(own))
    expect(toSql(foreign as never, columns)).toEqual(toSql(own, columns))
    const compiler = second.filter.filterCompiler(linearPatterns)
    expect(compiler('Name matches "^w"').test({ Name: 'web' })).toBe(true)
  })

  it('report no write as failed that was applied, whichever copy made the store', async () => {
    for (const { faulty: unreliable, memoryStore: memory } of [{ faulty, memoryStore }, second.store]) {
      let lost = 0
      const store = unreliable(memory(), {
        seed: 1,
        faults: { unknownApplied: 0.4 },
        onFault: (fault) => {
          if (fault === 'unknownApplied') lost += 1
        },
      })
      const registry = createRegistry({ store, blobs: memoryBlobs(nodeHashing) })
      for (let at = 0; at < 60; at += 1) {
        const module = { namespace: 'acme', name: `m${at}`, provider: 'aws' }
        expect(await registry.publishModule(module)).toMatchObject({ ok: true })
      }
      expect(lost).toBeGreaterThan(20)
      await registry.close()
    }
  })
})

describe('a store of another copy', () => {
  storeConformance(async () => second.store.memoryStore(), { test, sequences: 2, rounds: 2 })
})
