import type { Entry, Store } from '../port/port.ts'
import { type Case, entry, holds, keysIn, newId, put, same, submitOne } from './harness.ts'

/** Writes two keys in one commit, repeatedly, until it is stopped; returns the number of commits. */
function pairWriter(store: Store): { stop(): Promise<number> } {
  let isWanted = true
  const writing = (async () => {
    let count = 0
    while (isWanted) {
      const value = { count }
      await submitOne(store, {
        put: [
          { key: 'left', value },
          { key: 'right', value },
          { key: `each\u0001${count % 5}`, value },
        ],
        del: [`each\u0001${(count + 2) % 5}`],
      })
      count += 1
    }
    return count
  })()
  return {
    stop: () => {
      isWanted = false
      return writing
    },
  }
}

export const snapshotCases: readonly Case[] = [
  [
    'an id is settled through every handle: what one accepted or refused for good, another one answers alike',
    async (store, peer) => {
      const once = { id: newId(), put: [{ key: 'a', value: 1 }] }
      same(await submitOne(store, once), { ok: true, rev: 1 }, 'accepted')
      same(await submitOne(peer, { ...once, again: true }), { ok: true, rev: 1 }, 'resubmitted to the other')
      const create = { id: newId(), expect: [{ key: 'a', rev: 0 }], put: [{ key: 'b', value: 1 }] }
      const no = { ok: false, rev: 1, stale: ['a'] }
      same(await submitOne(peer, { ...create, again: true }), no, 'refused by the other')
      await submitOne(store, { del: ['a'] })
      same(await submitOne(store, create), no, 'submitted late')
      same(await entry(peer, 'b'), undefined, 'what it would have written')
    },
  ],
  [
    'the revision of a view is that of what it shows, and stays, while another handle commits',
    async (store, peer, { rounds = 40 }) => {
      const writer = pairWriter(peer)
      try {
        for (let round = 0; round < rounds; round += 1)
          await store.read(async (view) => {
            const before = view.rev
            const [left] = await view.get(['left'])
            const all = await view.scan({ prefix: '' })
            const [right] = await view.get(['right'])
            same(view.rev, before, 'the revision at the end')
            same(left?.value, right?.value, 'two keys of one commit, read one after the other')
            same(
              all.find(({ key }) => key === 'left'),
              left,
              'a scan and a get',
            )
            // Each commit writes both keys, so that the newest of them is the head.
            same(left?.modified ?? 0, before, 'the revision, and that of what every commit writes')
          })
      } finally {
        await writer.stop()
      }
    },
  ],
  [
    'changes are of one moment: no commit is torn, and a page tells all up to its revision, while another handle commits',
    async (store, peer, { rounds = 40 }) => {
      const writer = pairWriter(peer)
      const seen = new Map<string, Entry>()
      let after = 0
      const follow = async (limit?: number) => {
        const page = await store.changes({ after, prefixes: [''], limit })
        for (const one of page.put) {
          seen.set(one.key, one)
          holds(one.modified > after, `${one.key} is of ${one.modified}, not after ${after}`)
        }
        for (const key of page.gone) seen.delete(key)
        after = page.rev
        // Before the last page, entries may be newer than their page.
        if (page.more) return
        for (const { key, modified } of page.put)
          holds(modified <= page.rev, `${key} is of ${modified}, beyond the page's ${page.rev}`)
        const [left, right] = [seen.get('left'), seen.get('right')]
        same(left?.modified ?? 0, page.rev, 'the revision of what every commit writes')
        same(left?.value, right?.value, 'two keys of one commit')
      }
      try {
        for (let round = 0; round < rounds; round += 1) await follow(round % 2 === 0 ? undefined : 4)
      } finally {
        await writer.stop()
      }
      for (let before = -1; after < (await store.head()); before = after) {
        holds(after > before, `changes after ${after} do not move on, and the head is beyond`)
        await follow()
      }
      const state = await store.read((view) => view.scan({ prefix: '' }))
      same(
        [...seen.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one),
        state,
        'everything that was told, and the state',
      )
    },
  ],
  [
    'handles that decide and write at once are answered, not turned away',
    async (store, peer, { rounds = 40 }) => {
      const verdicts = await Promise.all(
        Array.from({ length: rounds }, async (_, at) => {
          const handle = at % 2 === 0 ? store : peer
          const rev = (await entry(handle, 'shared'))?.modified ?? 0
          return submitOne(handle, { expect: [{ key: 'shared', rev }], put: [{ key: 'shared', value: at }] })
        }),
      )
      const applied = verdicts.filter(({ ok }) => ok).length
      holds(applied > 0, 'none was applied')
      same(await store.head(), applied, 'head')
    },
  ],
  [
    'a prefix is compared letter by letter: neither case nor characters that mean something in a pattern matter',
    async (store) => {
      const keys = ['AB', 'Ab', 'aB', 'ab', 'a_b', 'axb', 'a%b', 'a*b', 'a.b', 'a[b]', 'a\\b']
      await submitOne(store, { put: keys.map((key) => ({ key, value: key })) })
      for (const prefix of ['a', 'A', 'a_', 'a%', 'a*', 'a.', 'a[', 'a\\', 'ab', 'aB']) {
        const wanted = keys.filter((key) => key.startsWith(prefix)).sort()
        same((await keysIn(store, { prefix })).sort(), wanted, `scan below ${prefix}`)
        const { put: listed } = await store.changes({ after: 0, prefixes: [prefix] })
        same(listed.map(({ key }) => key).sort(), wanted, `changes below ${prefix}`)
      }
    },
  ],
  [
    'a wait in the background ends with a commit as any other does',
    async (store, peer) => {
      await submitOne(store, put('before'))
      const waiting = store.changes({ after: 1, prefixes: [''], waitMs: 10_000, background: true })
      await submitOne(peer, put('a'))
      const { rev, put: changed } = await waiting
      same([rev, changed.map(({ key }) => key)], [2, ['a']], 'what the waiter got')
    },
  ],
]
