import type { Entry, Store } from '../port/port.ts'
import { type Case, entry, type Harness, holds, newId, put, refuses, same, submitOne } from './harness.ts'

/** These cases are omitted if a harness cannot reopen. */
const reopened = (harness: Harness, store: Store): Promise<Store> => {
  if (harness.reopen === undefined) throw new Error('the harness cannot reopen')
  return harness.reopen(store)
}

async function* imported(): AsyncIterable<Entry> {
  yield { key: 'a', value: 'imported', created: 3, modified: 5 }
  yield { key: '~\u0001a', value: null, created: 1, modified: 5 }
}

export const reopeningCases: readonly Case[] = [
  [
    'what was acknowledged is there when the realm is opened again, with its revisions',
    async (store, _peer, harness) => {
      await store.commit([put('a', 1), put('b', 1), { id: newId(), del: ['b'], touch: ['~\u0001t'] }])
      await submitOne(store, put('a', 2))
      const before = await store.read((view) => view.scan({ prefix: '' }))
      const again = await reopened(harness, store)
      same(await again.head(), 4, 'head')
      same(await again.read((view) => view.scan({ prefix: '' })), before, 'entries')
      same(await submitOne(again, put('c')), { ok: true, rev: 5 }, 'the next commit')
      await again.close()
    },
  ],
  [
    'ids are settled when the realm is opened again: what was accepted, and what was refused for good',
    async (store, _peer, harness) => {
      const once = { id: newId(), put: [{ key: 'a', value: 1 }] }
      const create = {
        id: newId(),
        expect: [{ key: 'a', rev: 0 }],
        put: [{ key: 'b', value: 1 }],
        again: true,
      }
      await submitOne(store, once)
      const no = await submitOne(store, create)
      holds(!no.ok, 'a commit that expects a key to be absent applied')
      await submitOne(store, { del: ['a'] })
      const again = await reopened(harness, store)
      same(await submitOne(again, { ...once, again: true }), { ok: true, rev: 1 }, 'accepted')
      same(await submitOne(again, create), no, 'refused')
      same(await again.head(), 2, 'head')
      await again.close()
    },
  ],
  [
    'changes go on where they were when the realm is opened again, or say that they must be read anew',
    async (store, _peer, harness) => {
      await store.commit([put('a', 1), put('b', 1)])
      const again = await reopened(harness, store)
      await submitOne(again, { put: [{ key: 'b', value: 2 }], del: ['a'] })
      const since = await again.changes({ after: 2, prefixes: [''] })
      same([since.rev, since.put.map(({ key }) => key), since.gone], [3, ['b'], ['a']], 'since the reopening')
      const all = await again.changes({ after: 1, prefixes: [''] }).catch((error: unknown) => error)
      if (all instanceof Error) await refuses(() => Promise.reject(all), 'changes', 'compacted')
      else same(all, { ...since, put: since.put }, 'since before the reopening')
      await again.close()
    },
  ],
  [
    'an import is there when the realm is opened again, and its head is where revisions go on',
    async (store, _peer, harness) => {
      await store.import(imported(), 70)
      const again = await reopened(harness, store)
      same(await again.head(), 70, 'head')
      same(await entry(again, 'a'), { key: 'a', value: 'imported', created: 3, modified: 5 }, 'entry')
      await refuses(() => again.changes({ after: 69, prefixes: [] }), 'changes before it', 'compacted')
      same(await submitOne(again, put('a', 1)), { ok: true, rev: 71 }, 'the next commit')
      await again.close()
    },
  ],
]

/** A realm that remembers few commits. */
const remembered = 20

export const retentionCases: readonly Case[] = [
  [
    'the newest commits are remembered, their ids too; those long past are compacted, and their keys stay',
    async (_store, _peer, harness) => {
      const store = await harness.retaining?.(remembered)
      if (store === undefined) throw new Error('the harness opened nothing')
      try {
        const count = remembered * 20
        const ids = Array.from({ length: count }, () => newId())
        for (const [at, id] of ids.entries())
          await submitOne(store, { id, put: [{ key: `k\u0001${at % 50}`, value: at }] })
        const after = count - remembered
        const recent = await store.changes({ after, prefixes: [''] })
        same([recent.rev, recent.put.length, recent.more], [count, remembered, false], 'the remembered ones')
        await refuses(() => store.changes({ after: 1, prefixes: [''] }), 'changes long past', 'compacted')
        for (const [at, id] of ids.slice(-remembered).entries())
          same(
            await submitOne(store, { id, put: [{ key: 'again', value: 1 }] }),
            { ok: true, rev: count - remembered + at + 1 },
            'an id that is remembered',
          )
        same((await store.read((view) => view.scan({ prefix: 'k' }))).length, 50, 'keys')
        same(await store.head(), count, 'head')
      } finally {
        await store.close()
      }
    },
  ],
]
