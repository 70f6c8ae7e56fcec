import { isStoreError } from '../port/errors.ts'
import type { Entry } from '../port/port.ts'
import { type Case, entry, keysIn, put, refuses, same, submitOne } from './harness.ts'

async function* entries(count: number): AsyncIterable<Entry> {
  for (let at = 1; at <= count; at += 1)
    yield { key: `k\u0001${at}`, value: { at }, created: at, modified: at * 2 }
  yield { key: '~\u0001k', value: null, created: 1, modified: count * 2 }
}

async function* just(...all: readonly unknown[]): AsyncIterable<Entry> {
  // Untyped, because imports read files.
  for (const one of all) yield one as Entry
}

export const importCases: readonly Case[] = [
  [
    'an import keeps every revision, and the next commit follows the head it was given',
    async (store, peer) => {
      await store.import(entries(2500), 7000)
      same(await store.head(), 7000, 'head')
      same(
        await entry(peer, 'k\u000142'),
        { key: 'k\u000142', value: { at: 42 }, created: 42, modified: 84 },
        'entry',
      )
      same(
        await entry(peer, '~\u0001k'),
        { key: '~\u0001k', value: null, created: 1, modified: 5000 },
        'mark',
      )
      same((await keysIn(peer, { prefix: 'k' })).length, 2500, 'count')
      same(await submitOne(store, put('k\u000142', 1)), { ok: true, rev: 7001 }, 'next commit')
      same(
        await entry(store, 'k\u000142'),
        { key: 'k\u000142', value: 1, created: 42, modified: 7001 },
        'updated',
      )
      await refuses(
        () => store.changes({ after: 6999, prefixes: [''] }),
        'changes from before the import',
        'compacted',
      )
      same((await store.changes({ after: 7000, prefixes: [''] })).put.length, 1, 'changes since the import')
    },
  ],
  [
    'an import into a realm that has data is refused and changes nothing',
    async (store) => {
      await submitOne(store, put('a', 1))
      await refuses(() => store.import(entries(3), 100), 'import', 'not_empty')
      same(await keysIn(store, { prefix: '' }), ['a'], 'keys')
      same(await store.head(), 1, 'head')
    },
  ],
  [
    'an import at a head that no realm can have is refused, also where there are no entries',
    async (store) => {
      for (const head of [
        -1,
        1.5,
        Number.NaN,
        Number.POSITIVE_INFINITY,
        2 ** 52 + 1,
        Number.MAX_SAFE_INTEGER,
      ]) {
        await refuses(() => store.import(just(), head), `head ${head}`, 'invalid')
        await refuses(
          () => store.import(just({ key: 'a', value: 1, created: 1, modified: 1 }), head),
          `head ${head} with an entry`,
          'invalid',
        )
      }
      same(await keysIn(store, { prefix: '' }), [], 'entries')
      await store.import(just(), 2 ** 52)
      same(await submitOne(store, put('a')), { ok: true, rev: 2 ** 52 + 1 }, 'behind the highest head')
      same((await store.changes({ after: 2 ** 52, prefixes: [''] })).put.length, 1, 'changes')
    },
  ],
  [
    'of an import nothing is seen before it is whole',
    async (store, peer) => {
      // An adapter may refuse until then, or show the empty realm.
      const seen = () =>
        keysIn(peer, { prefix: '' }).catch((error: unknown) => {
          if (isStoreError(error, 'locked')) return []
          throw error
        })
      const watched = async function* () {
        let at = 0
        for await (const each of entries(4500)) {
          at += 1
          if (at % 1500 === 0) same(await seen(), [], `after ${at} entries`)
          yield each
        }
      }
      await store.import(watched(), 9000)
      same((await keysIn(peer, { prefix: 'k' })).length, 4500, 'count')
    },
  ],
  [
    'an import that is broken in the middle leaves the realm empty',
    async (store) => {
      const good = { key: 'a', value: 1, created: 1, modified: 1 }
      const bad: readonly (readonly [string, unknown])[] = [
        ['a revision beyond the head', { key: 'b', value: 1, created: 1, modified: 11 }],
        ['created after modified', { key: 'b', value: 1, created: 3, modified: 2 }],
        ['a revision of 0', { key: 'b', value: 1, created: 0, modified: 2 }],
        ['a record of null', { key: 'b', value: null, created: 1, modified: 1 }],
        ['a mark with a value', { key: '~\u0001b', value: 1, created: 1, modified: 1 }],
        ['a key twice', good],
        ['a value that is not JSON', { key: 'b', value: { a: undefined }, created: 1, modified: 1 }],
        ['a bad key', { key: '', value: 1, created: 1, modified: 1 }],
      ]
      for (const [what, wrong] of bad) {
        await refuses(() => store.import(just(good, wrong), 10), what, 'invalid')
        same(await store.read((view) => view.scan({ prefix: '' })), [], what)
        same(await store.head(), 0, what)
      }
      await store.import(just(good), 10)
      same(await store.head(), 10, 'a good one afterwards')
    },
  ],
]
