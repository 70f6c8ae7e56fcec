import type { Entry, Since, Store } from '../port/port.ts'
import { type Case, holds, newId, put, refuses, same, submitOne } from './harness.ts'

const short = async (store: Store, after: number, prefixes: readonly string[] = ['']) => {
  const { rev, put: changed, gone, more } = await store.changes({ after, prefixes })
  return { rev, put: changed.map(({ key, value }) => [key, value]).sort(), gone: [...gone].sort(), more }
}

export const changeCases: readonly Case[] = [
  [
    'changes give the net effect: the newest state of each changed key, and what is gone',
    async (store) => {
      await store.commit([put('a', 1), put('b', 1), put('c', 1)])
      await store.commit([put('a', 2), { id: newId(), del: ['b'] }, put('d', 1), { id: newId(), del: ['d'] }])
      same(
        await short(store, 0),
        {
          rev: 7,
          put: [
            ['a', 2],
            ['c', 1],
          ],
          gone: ['b', 'd'],
          more: false,
        },
        'from the start',
      )
      same(
        await short(store, 3),
        { rev: 7, put: [['a', 2]], gone: ['b', 'd'], more: false },
        'from the middle',
      )
      same(await short(store, 7), { rev: 7, put: [], gone: [], more: false }, 'from the head')
    },
  ],
  [
    'changes tell only keys below the prefixes, and move on all the same',
    async (store) => {
      await store.commit([put('a\u00011', 1), put('b\u00011', 1), { id: newId(), touch: ['~\u0001a'] }])
      same(
        await short(store, 0, ['a\u0001']),
        { rev: 3, put: [['a\u00011', 1]], gone: [], more: false },
        'one',
      )
      const two = {
        rev: 3,
        put: [
          ['a\u00011', 1],
          ['~\u0001a', null],
        ],
        gone: [],
        more: false,
      }
      same(await short(store, 0, ['a\u0001', '~']), two, 'two')
      same(await short(store, 0, []), { rev: 3, put: [], gone: [], more: false }, 'none')
    },
  ],
  [
    'pages of changes end in the whole state',
    async (store) => {
      for (let at = 0; at < 30; at += 1)
        await store.commit([
          put(`k\u0001${at % 7}`, at),
          at % 3 === 0 ? { id: newId(), del: [`k\u0001${at % 5}`] } : put(`l\u0001${at}`),
        ])
      const seen = new Map<string, Entry>()
      let pages = 0
      for (let after = 0, more = true; more; pages += 1) {
        const page = await store.changes({ after, prefixes: [''], limit: 4 })
        holds(page.rev > after, 'a page that moves on')
        for (const each of page.put) seen.set(each.key, each)
        for (const key of page.gone) seen.delete(key)
        after = page.rev
        more = page.more
      }
      holds(pages > 3, `a limit of 4 gave ${pages} pages`)
      const least = await store.changes({ after: 0, prefixes: [''], limit: 0 })
      same([least.rev, least.more], [1, true], 'one commit at least')
      const state = await store.read((view) => view.scan({ prefix: '' }))
      const sorted = [...seen.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
      same(
        sorted,
        [...state].sort((a, b) => (a.key < b.key ? -1 : 1)),
        'state',
      )
      const whole = ['m', 'n', 'o', 'p', 'q']
      const { rev } = await submitOne(store, { put: whole.map((key) => ({ key, value: 1 })) })
      const page = await store.changes({ after: rev - 1, prefixes: [''], limit: 2 })
      same(
        [page.rev, page.put.map(({ key }) => key).sort()],
        [rev, whole],
        'a commit of more keys than the limit',
      )
    },
  ],
  [
    'a wait ends with the next commit, on every handle',
    async (store, peer) => {
      for (const [writer, waiter] of [
        [store, peer],
        [peer, store],
      ] as const) {
        const after = await waiter.head()
        const waiting = waiter.changes({ after, prefixes: ['a'], waitMs: 20_000 })
        await submitOne(writer, put('a', after))
        const { rev, put: changed } = await waiting
        same([rev, changed.map(({ key }) => key)], [after + 1, ['a']], 'what the waiter got')
      }
    },
  ],
  [
    'a wait ends empty when its time is over or its signal aborts',
    async (store) => {
      const nothing = { rev: 0, put: [], gone: [], more: false }
      same(await store.changes({ after: 0, prefixes: [''], waitMs: 5 }), nothing, 'time')
      const abort = new AbortController()
      const waiting = store.changes({ after: 0, prefixes: [''], waitMs: 60_000, signal: abort.signal })
      abort.abort()
      same(await waiting, nothing, 'signal')
      const { signal } = abort
      same(
        await store.changes({ after: 0, prefixes: [''], waitMs: 60_000, signal }),
        nothing,
        'an aborted signal',
      )
    },
  ],
  [
    'a wait ends when its store is closed',
    async (store) => {
      const waiting = store.changes({ after: 0, prefixes: [''], waitMs: 60_000 })
      await store.close()
      const ended = await waiting.catch((error: unknown) => error)
      if (ended instanceof Error) await refuses(() => Promise.reject(ended), 'the wait', 'closed')
      else same(ended, { rev: 0, put: [], gone: [], more: false }, 'what the wait told')
    },
  ],
  [
    'changes after a revision that is not reached yet mean a realm that was set back',
    async (store) => {
      await submitOne(store, put('a'))
      await refuses(() => store.changes({ after: 2, prefixes: [''] }), 'changes', 'compacted')
      const furthest = Number.MAX_SAFE_INTEGER
      await refuses(
        () => store.changes({ after: furthest, prefixes: [''], waitMs: 60_000 }),
        'changes that would wait',
        'compacted',
      )
    },
  ],
  [
    'changes after what is no revision, or below what is no text, are refused and do not wait',
    async (store) => {
      await submitOne(store, put('a'))
      const asked: readonly Since[] = [
        ...[-1, 0.5, 1.5, Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 2 ** 53].map(
          (after) => ({ after, prefixes: [''] }),
        ),
        ...[-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY].map((limit) => ({
          after: 0,
          prefixes: [''],
          limit,
        })),
        ...['\ud800', 'a\u0000'].map((prefix) => ({ after: 0, prefixes: ['a', prefix] })),
      ]
      for (const since of asked) {
        const what = `after ${since.after}, limit ${since.limit}, below ${since.prefixes.length}`
        await refuses(() => store.changes({ ...since, waitMs: 60_000 }), what, 'invalid')
      }
    },
  ],
]
