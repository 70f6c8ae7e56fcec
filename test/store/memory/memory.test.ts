import { describe, expect, it, test } from 'vitest'
import { type Entry, type Json, limits, memoryStore, storeConformance } from '../../../src/store/index.ts'

describe('the memory store', () => {
  storeConformance(async () => memoryStore(), { test, sequences: 400 })
})

describe('the memory store, beyond the port', () => {
  it('forgets old commits, and their ids, beyond the configured number', async () => {
    const store = memoryStore({ remember: 10 })
    const commit = (n: number) => store.commit([{ id: `c${n}`, put: [{ key: 'a', value: n }] }])
    for (let n = 1; n <= 100; n += 1) await commit(n)
    await expect(store.changes({ after: 1, prefixes: [''] })).rejects.toMatchObject({ code: 'compacted' })
    expect((await store.changes({ after: 95, prefixes: [''] })).put).toHaveLength(1)
    expect(await commit(100)).toEqual([{ ok: true, rev: 100 }])
    expect(await commit(1)).toEqual([{ ok: true, rev: 101 }])
  })

  it('freezes what it is given, shallow freezes of the caller included', async () => {
    const inner = { tags: ['a'] }
    const value: Json = Object.freeze({ inner })
    const store = memoryStore()
    await store.commit([{ id: '1', put: [{ key: 'a', value }] }])
    expect(() => inner.tags.push('b')).toThrow(TypeError)
    await expect(
      store.commit([{ id: '2', put: [{ key: 'a', value: Object.freeze({ n: Number.NaN }) }] }]),
    ).rejects.toThrow('n is NaN')
  })

  it('names the place of what is not JSON and never shows a value', async () => {
    const value = { auth: { password: 'hunter2', keys: [1, undefined] } } as unknown as Json
    const refusal = memoryStore().commit([{ id: '1', put: [{ key: 'a', value }] }])
    await expect(refusal).rejects.toThrow(/auth\.keys\[1\] is undefined/)
    await expect(refusal).rejects.not.toThrow(/hunter2/)
  })

  it('takes a commit of 240 MiB of values, and none above that, which no database could be sent', async () => {
    const value = 'é'.repeat((limits.valueBytes - 2) / 2)
    const store = memoryStore()
    const commit = (values: readonly Json[]) =>
      store.commit([{ id: '1', put: values.map((each, at) => ({ key: `k${at}`, value: each })) }])
    const most = Array(6).fill(value)
    await expect(commit([...most, 1])).rejects.toThrow(
      /^the values of a commit have at most 251658240 bytes of JSON in total, not 251658241$/,
    )
    expect(await commit(most)).toEqual([{ ok: true, rev: 1 }])
  })

  it('hands a listener’s error to onError and not to the writer', async () => {
    const reported: unknown[] = []
    const store = memoryStore({ onError: (error) => reported.push(error) })
    store.onCommit(() => {
      throw new Error('a listener with a bug')
    })
    const [verdict] = await store.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])
    expect(verdict).toEqual({ ok: true, rev: 1 })
    expect(reported.map(String)).toEqual(['Error: a listener with a bug'])
  })

  it('notifies all listeners of commits in order, including commits by a listener', async () => {
    const store = memoryStore()
    const put = (id: string) => ({ id, put: [{ key: id, value: 1 }] })
    const heard: number[] = []
    store.onCommit((rev) => void (rev === 1 && store.commit([put('c')])))
    store.onCommit((rev) => heard.push(rev))
    await store.commit([put('a'), put('b')])
    expect(heard).toEqual([1, 2, 3])
  })

  it('notifies no listener after one has closed it', async () => {
    const store = memoryStore()
    const heard: number[] = []
    store.onCommit((rev) => {
      heard.push(rev)
      void store.close()
    })
    const put = (id: string) => ({ id, put: [{ key: id, value: 1 }] })
    expect(await store.commit([put('a'), put('b')])).toHaveLength(2)
    expect(heard).toEqual([1])
  })

  it('keeps a snapshot as it was while thousands of commits go by', async () => {
    const store = memoryStore()
    const held: { readonly all: Entry[]; readonly again: () => Entry[] }[] = []
    for (let n = 0; n < 3000; n += 1) {
      await store.commit([
        { id: `c${n}`, put: [{ key: `k${(n * 7919) % 500}`, value: n }], del: [`k${n % 400}x`] },
      ])
      if (n % 300 !== 0) continue
      const now = store.snapshot()
      held.push({ all: now.scan({ prefix: '' }), again: () => now.scan({ prefix: '' }) })
    }
    for (const { all, again } of held) expect(again()).toEqual(all)
    const chunks = [...store.snapshot().chunks('k')]
    expect(chunks.flat()).toHaveLength(500)
    expect(chunks.every((run) => run.length <= 256)).toBe(true)
    expect([...store.snapshot().chunks('k', 'k98')].flat()).toHaveLength(
      store.snapshot().scan({ prefix: 'k', from: 'k98' }).length,
    )
  })

  it('refuses a value whose text would fit into no string', async () => {
    const value = Array.from({ length: 200 }, () => 'x'.repeat(4_000_000))
    await expect(memoryStore().commit([{ id: '1', put: [{ key: 'a', value }] }])).rejects.toMatchObject({
      code: 'invalid',
      message: 'a value has at most 41943040 bytes of JSON, and this one has more',
    })
  })
})
