import { isLocal } from '../port/port.ts'
import { type Case, entry, holds, key64, newId, put, refuses, same, submitOne } from './harness.ts'

export const commitCases: readonly Case[] = [
  [
    'an empty realm is at revision 0 and holds nothing',
    async (store) => {
      same(await store.head(), 0, 'head')
      same(await store.read((view) => view.scan({ prefix: '' })), [], 'scan')
      same(
        await store.changes({ after: 0, prefixes: [''] }),
        { rev: 0, put: [], gone: [], more: false },
        'changes',
      )
    },
  ],
  [
    'revisions count up without gaps, and a refused commit takes none',
    async (store) => {
      same(await submitOne(store, put('a')), { ok: true, rev: 1 }, 'first')
      const refused = await submitOne(store, {
        expect: [{ key: 'a', rev: 9 }],
        put: [{ key: 'b', value: 1 }],
      })
      same(refused, { ok: false, rev: 1, stale: ['a'] }, 'refused')
      same(await submitOne(store, put('c')), { ok: true, rev: 2 }, 'second')
      same(await entry(store, 'b'), undefined, 'what was refused')
      same(await store.head(), 2, 'head')
    },
  ],
  [
    'created survives updates and not deletion; modified is the newest write',
    async (store) => {
      await submitOne(store, put('a', 1))
      await submitOne(store, put('a', 2))
      same(await entry(store, 'a'), { key: 'a', value: 2, created: 1, modified: 2 }, 'updated')
      await submitOne(store, { del: ['a', 'never-there'] })
      same(await entry(store, 'a'), undefined, 'deleted')
      await submitOne(store, put('a', 3))
      same(await entry(store, 'a'), { key: 'a', value: 3, created: 4, modified: 4 }, 'made anew')
    },
  ],
  [
    'an expectation names a revision, 0 for absent, and a refusal lists every key that is not as expected',
    async (store) => {
      await store.commit([put('a'), put('b')])
      const wrong = await submitOne(store, {
        expect: [
          { key: 'a', rev: 2 },
          { key: 'b', rev: 2 },
          { key: 'b2', rev: 0 },
          { key: 'c', rev: 1 },
        ],
        put: [{ key: 'd', value: 1 }],
      })
      same(wrong.ok ? [] : [...wrong.stale].sort(), ['a', 'c'], 'stale')
      const right = await submitOne(store, {
        expect: [
          { key: 'a', rev: 1 },
          { key: 'b', rev: 2 },
          { key: 'c', rev: 0 },
        ],
        put: [{ key: 'd', value: 1 }],
      })
      same(right, { ok: true, rev: 3 }, 'right')
    },
  ],
  [
    'a batch is judged one by one: a later commit sees the earlier ones, a refused one sinks no other',
    async (store) => {
      const verdicts = await store.commit([
        put('a', 1),
        { id: newId(), expect: [{ key: 'a', rev: 1 }], put: [{ key: 'a', value: 2 }] },
        { id: newId(), expect: [{ key: 'a', rev: 1 }], put: [{ key: 'a', value: 3 }] },
        { id: newId(), expect: [{ key: 'a', rev: 2 }], del: ['a'] },
        { id: newId(), expect: [{ key: 'a', rev: 0 }], put: [{ key: 'a', value: 4 }] },
      ])
      const wanted = [
        { ok: true, rev: 1 },
        { ok: true, rev: 2 },
        { ok: false, rev: 2, stale: ['a'] },
        { ok: true, rev: 3 },
        { ok: true, rev: 4 },
      ]
      same(verdicts, wanted, 'verdicts')
      same(await entry(store, 'a'), { key: 'a', value: 4, created: 4, modified: 4 }, 'outcome')
      same(await store.commit([]), [], 'an empty batch')
    },
  ],
  [
    'a batch of a thousand commits is judged in order, each on what the ones before it wrote',
    async (store) => {
      const chain = Array.from({ length: 1000 }, (_, at) => ({
        id: newId(),
        expect: [{ key: 'a', rev: at }],
        put: [{ key: 'a', value: at }],
        touch: ['~\u0001a'],
      }))
      const [late] = chain.splice(500, 1)
      const verdicts = await store.commit([...chain, ...(late === undefined ? [] : [late])])
      const stale = verdicts.flatMap((verdict, at) => (verdict.ok ? [] : [[at, verdict.rev]]))
      // One was moved to the end: the commits after it are refused, and then its turn comes.
      same(
        stale,
        Array.from({ length: 499 }, (_, at) => [500 + at, 500]),
        'refused',
      )
      same(verdicts.at(-1), { ok: true, rev: 501 }, 'the last')
      same(await entry(store, 'a'), { key: 'a', value: 500, created: 1, modified: 501 }, 'outcome')
      same((await store.changes({ after: 499, prefixes: ['~'] })).put.length, 1, 'the mark')
    },
  ],
  [
    'a commit of 64 keys applies whole',
    async (store) => {
      same(
        await submitOne(store, { put: key64.map((key) => ({ key, value: key })) }),
        { ok: true, rev: 1 },
        'put',
      )
      const found = await store.read((view) => view.get(key64))
      same(
        found.map((each) => each?.modified),
        key64.map(() => 1),
        'revisions',
      )
      await submitOne(store, { del: key64 })
      same(await store.read((view) => view.scan({ prefix: '' })), [], 'deleted')
    },
  ],
  [
    'touches raise a mark, commute with one another, and conflict with commits that expect it',
    async (store) => {
      const mark = '~\u0001pool'
      await store.commit([
        { id: newId(), touch: [mark] },
        { id: newId(), touch: [mark, '~\u0001other'] },
      ])
      same(await entry(store, mark), { key: mark, value: null, created: 1, modified: 2 }, 'mark')
      const late = await submitOne(store, { expect: [{ key: mark, rev: 1 }], put: [{ key: 'a', value: 1 }] })
      same(late, { ok: false, rev: 2, stale: [mark] }, 'who expected the earlier one')
      const both = { expect: [{ key: mark, rev: 2 }], touch: [mark], put: [{ key: 'a', value: 1 }] }
      same(await submitOne(store, both), { ok: true, rev: 3 }, 'who expects the present one and raises it')
    },
  ],
  [
    'a commit that expects an unused mark can delete it, and the next touch starts it again',
    async (store) => {
      const mark = '~\u0001pool'
      await submitOne(store, { touch: [mark] })
      const late = { expect: [{ key: mark, rev: 2 }], del: [mark] }
      same(await submitOne(store, late), { ok: false, rev: 1, stale: [mark] }, 'who expects another one')
      await store.commit([
        { id: newId(), expect: [{ key: mark, rev: 1 }], del: [mark] },
        { id: newId(), touch: [mark] },
        { id: newId(), expect: [{ key: mark, rev: 3 }], del: [mark] },
      ])
      same(await entry(store, mark), undefined, 'deleted')
      same((await store.changes({ after: 1, prefixes: ['~'] })).gone, [mark], 'gone')
      await submitOne(store, { expect: [{ key: mark, rev: 0 }], touch: [mark] })
      same(await entry(store, mark), { key: mark, value: null, created: 5, modified: 5 }, 'made anew')
    },
  ],
  [
    'an id that was accepted answers what happened then and writes nothing again',
    async (store) => {
      const once = { id: newId(), put: [{ key: 'a', value: 1 }] }
      same(await submitOne(store, once), { ok: true, rev: 1 }, 'first')
      await submitOne(store, put('a', 2))
      same(await submitOne(store, { ...once, again: true }), { ok: true, rev: 1 }, 'again')
      same(
        await store.commit([once, once]),
        [
          { ok: true, rev: 1 },
          { ok: true, rev: 1 },
        ],
        'twice in one batch',
      )
      same((await entry(store, 'a'))?.value, 2, 'value')
      same(await store.head(), 2, 'head')
    },
  ],
  [
    'a resubmitted id that was refused stays refused, even once its expectation holds',
    async (store) => {
      await submitOne(store, put('a'))
      const create = { id: newId(), expect: [{ key: 'a', rev: 0 }], put: [{ key: 'a', value: 'late' }] }
      same(
        await submitOne(store, { ...create, again: true }),
        { ok: false, rev: 1, stale: ['a'] },
        'resubmitted',
      )
      await submitOne(store, { del: ['a'] })
      const zombie = await submitOne(store, create)
      holds(!zombie.ok, 'the first attempt, arriving late, applied after its resubmission was refused')
      same(await entry(store, 'a'), undefined, 'what the late attempt would have written')
    },
  ],
  [
    'an id that is refused for good and comes once more in the same batch stays refused',
    async (store) => {
      await submitOne(store, put('a'))
      const create = { id: newId(), expect: [{ key: 'a', rev: 0 }], put: [{ key: 'a', value: 'late' }] }
      const [refused, , late] = await store.commit([
        { ...create, again: true },
        { id: newId(), del: ['a'] },
        create,
      ])
      same(refused, { ok: false, rev: 1, stale: ['a'] }, 'resubmitted')
      holds(late?.ok === false, 'the first attempt applied after its resubmission was refused')
      same(await entry(store, 'a'), undefined, 'what it would have written')
    },
  ],
  [
    'a closed store says so',
    async (store) => {
      await store.close()
      await refuses(() => store.head(), 'head', 'closed')
      await refuses(() => store.commit([put('a')]), 'commit', 'closed')
      await refuses(() => store.read(async (view) => view.rev), 'read', 'closed')
      await refuses(() => store.changes({ after: 0, prefixes: [] }), 'changes', 'closed')
      await store.close()
    },
  ],
  [
    'a local store tells each commit once its state is in the snapshot, and snapshots never change',
    async (store) => {
      if (!isLocal(store)) return
      const heard: unknown[] = []
      const stop = store.onCommit((rev, keys) => {
        holds(store.snapshot().rev >= rev, 'told before the snapshot had it')
        heard.push([rev, keys])
      })
      const before = store.snapshot()
      await store.commit([put('a', 1), { id: newId(), del: ['a'], touch: ['~\u0001t'] }])
      stop()
      await submitOne(store, put('b'))
      same(
        heard,
        [
          [1, ['a']],
          [2, ['~\u0001t', 'a']],
        ].map(([rev, keys]) => [rev, keys]),
        'heard',
      )
      same(before.scan({ prefix: '' }), [], 'the snapshot from before')
    },
  ],
]
