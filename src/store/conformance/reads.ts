import { isStoreError } from '../errors.ts'
import { compareKeys } from '../keys.ts'
import type { Entry } from '../port.ts'
import { type Case, entry, holds, keysIn, put, refuses, same, submitOne } from './harness.ts'

/** Keys whose UTF-16 order, locale order and byte order all differ. */
const trickyKeys = [
  'A',
  'Z',
  'a',
  'a\u0001b',
  'a\u0001b\u0001c',
  'a-b',
  'a/b',
  'a b',
  'aa',
  'ab',
  'b',
  'z',
  'é',
  'e\u0301',
  'ß',
  'ж',
  '한',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '😀',
  '𝄞',
  '\u{10ffff}',
  '\u{10ffff}\u{10ffff}',
  'a\u{10ffff}',
  'a\uffff',
]

const write = async (store: Parameters<Case[1]>[0], keys: readonly string[]) =>
  submitOne(store, { put: keys.map((key) => ({ key, value: key })) })

async function* entries(count: number): AsyncIterable<Entry> {
  for (let at = 1; at <= count; at += 1)
    yield { key: `k\u0001${at}`, value: { at }, created: at, modified: at * 2 }
  yield { key: '~\u0001k', value: null, created: 1, modified: count * 2 }
}

async function* just(...all: readonly unknown[]): AsyncIterable<Entry> {
  // Typed as anything: imports read files.
  for (const one of all) yield one as Entry
}

export const readCases: readonly Case[] = [
  [
    'keys are in UTF-8 byte order in both directions',
    async (store) => {
      await write(store, trickyKeys.toSorted().toReversed())
      const sorted = [...trickyKeys].sort(compareKeys)
      same(await keysIn(store, { prefix: '' }), sorted, 'forwards')
      same(await keysIn(store, { prefix: '', reverse: true }), sorted.toReversed(), 'backwards')
    },
  ],
  [
    'a scan keeps to prefix, from, after and limit in both directions',
    async (store) => {
      await write(store, trickyKeys)
      const sorted = [...trickyKeys].sort(compareKeys)
      const bounds = [...trickyKeys, '', 'a\u0001', 'aaa', '\u0001', 'zz', '\u{10fffe}', 'é\u0001']
      await store.read(async (view) => {
        for (const reverse of [false, true]) {
          const travel = reverse ? sorted.toReversed() : sorted
          const isPast = (key: string, bound: string) =>
            reverse ? compareKeys(key, bound) < 0 : compareKeys(key, bound) > 0
          for (const bound of bounds) {
            for (const prefix of ['', 'a', 'a\u0001', '\u{10ffff}', 'none']) {
              const below = travel.filter((key) => key.startsWith(prefix))
              const from = below.filter((key) => key === bound || isPast(key, bound))
              const after = below.filter((key) => isPast(key, bound))
              const keys = async (range: object) =>
                (await view.scan({ prefix, reverse, ...range })).map(({ key }) => key)
              const what = JSON.stringify({ prefix, bound, reverse })
              same(await keys({ from: bound }), from, `from ${what}`)
              same(await keys({ after: bound }), after, `after ${what}`)
              same(await keys({ from: bound, limit: 3 }), from.slice(0, 3), `from with limit ${what}`)
            }
          }
        }
      })
      same(await keysIn(store, { prefix: '', limit: 0 }), [], 'limit 0')
    },
  ],
  [
    'a range that is not valid text is refused',
    async (store) => {
      for (const range of [
        { prefix: '\ud800' },
        { prefix: '', from: 'a\u0000' },
        { prefix: '', limit: -1 },
        { prefix: '', limit: 1.5 },
      ])
        await refuses(() => store.read((view) => view.scan(range)), JSON.stringify(range), 'invalid')
    },
  ],
  [
    'get answers in the order asked, repeats and absences included',
    async (store) => {
      await write(store, ['a', 'b'])
      const found = await store.read((view) => view.get(['b', 'none', 'a', 'b']))
      same(
        found.map((each) => each?.key ?? null),
        ['b', null, 'a', 'b'],
        'answers',
      )
      same(await store.read((view) => view.get([])), [], 'nothing asked')
      const impossible = ['', 'a\u0000', '\ud800', 'x'.repeat(1025), 'x'.repeat(100_000)]
      same(
        await store.read((view) => view.get(impossible)),
        impossible.map(() => undefined),
        'keys that cannot be',
      )
      const far = await store.read((view) => view.scan({ prefix: '', after: `a${'x'.repeat(100_000)}` }))
      same(
        far.some(({ key }) => key === 'a'),
        false,
        'a bound longer than any key',
      )
    },
  ],
  [
    'a read sees one snapshot, whatever is committed meanwhile',
    async (store, peer) => {
      await write(store, ['a', 'b'])
      await store.read(async (view) => {
        same(view.rev, 1, 'revision')
        await view.get(['a'])
        await submitOne(peer, { put: [{ key: 'a', value: 'later' }], del: ['b'] })
        same(
          (await view.get(['a', 'b'])).map((each) => each?.value),
          ['a', 'b'],
          'get',
        )
        same(
          (await view.scan({ prefix: '' })).map(({ key }) => key),
          ['a', 'b'],
          'scan',
        )
      })
      same((await entry(store, 'a'))?.value, 'later', 'a read that starts afterwards')
    },
  ],
  [
    'what a read throws reaches its caller',
    async (store) => {
      const mistake = new Error('mistake')
      const thrown = await store.read(() => Promise.reject(mistake)).catch((error: unknown) => error)
      holds(thrown === mistake, `got ${String(thrown)}`)
      same(await store.head(), 0, 'the store afterwards')
    },
  ],
  [
    'a read that starts after an acknowledgement sees it, on every handle',
    async (store, peer) => {
      for (let at = 1; at <= 30; at += 1) {
        const [writer, reader] = at % 2 === 0 ? [store, peer] : [peer, store]
        await submitOne(writer, put('a', at))
        same((await entry(reader, 'a'))?.value, at, 'value')
        same(await reader.head(), at, 'head')
      }
    },
  ],
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
