import { compareKeys } from '../port/keys.ts'
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
    'a scan for keys only has their revisions, and keeps to its range',
    async (store) => {
      await write(store, ['a', 'b', 'c', 'd'])
      await submitOne(store, { put: [{ key: 'b', value: 'again' }] })
      await store.read(async (view) => {
        const ranges = [{}, { limit: 2 }, { from: 'b' }, { after: 'b', limit: 1 }, { reverse: true }]
        for (const range of [...ranges, { reverse: true, limit: 1 }]) {
          const revisionsIn = async (keysOnly: boolean) =>
            (await view.scan({ prefix: '', ...range, keysOnly })).map(({ key, created, modified }) => [
              key,
              created,
              modified,
            ])
          same(await revisionsIn(true), await revisionsIn(false), JSON.stringify(range))
        }
      })
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
    'a read sees one snapshot despite concurrent commits',
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
]
