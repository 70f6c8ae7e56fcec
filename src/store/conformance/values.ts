import type { Json } from '../port/port.ts'
import { type Case, entry, holds, key64, newId, put, refuses, same, submitOne } from './harness.ts'

class NotData {
  readonly kind = 'instance'
}

const nested = (depth: number): Json => {
  let value: Json = 1
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}

/** Unusual values that are valid JSON. */
const oddValues: readonly Json[] = [
  '',
  'nul \u0000, lone \ud800 surrogate, \u2028, emoji 😀, "quotes" \\ and \u0001',
  0,
  -1.5,
  1e308,
  5e-324,
  Number.MAX_SAFE_INTEGER,
  false,
  [],
  {},
  [null, [[]], { '': null }],
  JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"hasOwnProperty":"x"}'),
  { 'key with \u0000 and 😀': [1, 2, 3] },
  nested(200),
  'x'.repeat(1 << 20),
]

/**
 * Values that every adapter must refuse. Untyped, because callers without a type checker can pass anything.
 */
const badCommits: readonly (readonly [what: string, commit: unknown])[] = [
  ['undefined', { put: [{ key: 'k', value: { a: undefined } }] }],
  ['NaN', { put: [{ key: 'k', value: [Number.NaN] }] }],
  ['Infinity', { put: [{ key: 'k', value: Number.POSITIVE_INFINITY }] }],
  ['-0', { put: [{ key: 'k', value: { deep: [-0] } }] }],
  ['a bigint', { put: [{ key: 'k', value: 1n }] }],
  ['a function', { put: [{ key: 'k', value: { f: () => 1 } }] }],
  ['a date', { put: [{ key: 'k', value: new Date(0) }] }],
  ['a class instance', { put: [{ key: 'k', value: new NotData() }] }],
  ['201 levels', { put: [{ key: 'k', value: nested(201) }] }],
  ['null', { put: [{ key: 'k', value: null }] }],
  ['a put on a mark', { put: [{ key: '~\u0001pool', value: 1 }] }],
  ['a mark deleted without being expected', { del: ['~\u0001pool'] }],
  ['a touched record', { touch: ['pool\u0001gpu'] }],
  ['a key twice', { put: [{ key: 'k', value: 1 }], del: ['k'] }],
  ['an empty key', { put: [{ key: '', value: 1 }] }],
  ['a key with U+0000', { put: [{ key: 'a\u0000b', value: 1 }] }],
  ['a key with half a surrogate pair', { put: [{ key: 'a\ud800', value: 1 }] }],
  ['a key of 1,025 bytes', { put: [{ key: `a${'é'.repeat(512)}`, value: 1 }] }],
  ['an expectation with a bad key', { expect: [{ key: '', rev: 0 }], put: [{ key: 'k', value: 1 }] }],
  ['an expectation below zero', { expect: [{ key: 'k', rev: -1 }], put: [{ key: 'k', value: 1 }] }],
  ['65 keys', { put: [...key64, 'k\u0001last'].map((key) => ({ key, value: 1 })) }],
  ['257 expectations', { expect: Array(257).fill({ key: 'k', rev: 0 }), put: [{ key: 'k', value: 1 }] }],
  ['nothing to write', { expect: [{ key: 'k', rev: 0 }] }],
  ['an empty id', { id: '', put: [{ key: 'k', value: 1 }] }],
]

/** Valid values are returned unchanged; the others are refused. */
export const valueCases: readonly Case[] = [
  [
    'every JSON value comes back equal and frozen',
    async (store, peer) => {
      const keyed = oddValues.map((value, at) => ({ key: `odd\u0001${at}`, value }))
      same(await submitOne(store, { put: keyed }), { ok: true, rev: 1 }, 'commit')
      for (const { key, value } of keyed) {
        const found = await entry(peer, key)
        same(found?.value, value, key)
        holds(found === undefined || isDeepFrozen(found.value), `${key} is not frozen to the bottom`)
      }
    },
  ],
  [
    'a null-prototype object comes back with its own members',
    async (store) => {
      const value: Json = Object.assign(Object.create(null), { ordinary: 1 })
      Object.defineProperty(value, '__proto__', { value: 'plain data', enumerable: true })
      await submitOne(store, put('a', value))
      const found = (await entry(store, 'a'))?.value
      const own = typeof found === 'object' && found !== null && Object.hasOwn(found, '__proto__')
      holds(own, '__proto__ is not an own member')
    },
  ],
  ...badCommits.map(
    ([what, commit]): Case => [
      `refuses ${what}, with the whole batch, and writes nothing`,
      async (store) => {
        // The table above says why these are not commits.
        const bad = { id: newId(), ...(commit as object) } as ReturnType<typeof put>
        await refuses(() => store.commit([put('good'), bad]), what, 'invalid')
        same(await store.head(), 0, 'head')
        same(await entry(store, 'good'), undefined, 'the commit before it')
      },
    ],
  ),
  [
    'keys up to 1,024 bytes and a value of 4 MiB are kept',
    async (store) => {
      const key = `${'é'.repeat(511)}ab`
      const value = { text: 'y'.repeat(4 << 20) }
      await submitOne(store, put(key, value))
      const found = await entry(store, key)
      holds(found !== undefined && JSON.stringify(found.value) === JSON.stringify(value), 'the value changed')
    },
  ],
  [
    'equal large values are apart: one that is replaced or deleted leaves the others',
    async (store, peer) => {
      const value = 'z'.repeat(1 << 20)
      const keys = ['a', 'b', 'c']
      await submitOne(store, { put: keys.map((key) => ({ key, value })) })
      await submitOne(store, { put: [{ key: 'a', value: 1 }], del: ['b'] })
      const left = await peer.read((view) => view.scan({ prefix: '' }))
      same(
        left.map((each) => [each.key, each.value === value]),
        [
          ['a', false],
          ['c', true],
        ],
        'what is left',
      )
    },
  ],
]

function isDeepFrozen(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every((inner) => isDeepFrozen(inner as Json))
}
