import { describe, expect, it } from 'vitest'
import type { Store, StoreError } from '../../src/store/index.ts'
import { type PostgresJsClient, postgresStore } from '../../src/store/postgres/index.ts'
import { testClock } from '../../src/testing/index.ts'

const never = new Promise<never>(() => {})
const settings = {
  encoding: 'UTF8',
  isolation: 'read committed',
  version: 180_000,
  standbys: 'one',
  synchronous: 'on',
  fsync: 'on',
  standby: false,
}

/** A client that answers as a database with one commit, except what `isSilent` says is never answered. */
function fakeClient(isSilent: (text: string) => boolean) {
  const asked: string[] = []
  const answer = (text: string): readonly unknown[] => {
    if (text.includes('server_encoding')) return [settings]
    if (text.includes('to_regclass')) return [{ ours: true, used: true }]
    if (text.includes('max(version)')) return [{ version: 3 }]
    if (text.includes('select id from')) return [{ id: 1 }]
    if (text.includes('commit_one')) return [{ value: '{"before":1}' }]
    if (text.includes('changes_since')) return [{ head: '2', floor: '0', page: '2', key: null }]
    return [{ rev: '1' }]
  }
  const unsafe = async (text: string) => {
    asked.push(text)
    return isSilent(text) ? never : answer(text)
  }
  const client: PostgresJsClient = {
    unsafe,
    begin: (mode, work) => (isSilent(mode) ? never : work({ unsafe })),
    listen: async () => (isSilent('listen') ? never : { unlisten: async () => undefined }),
  }
  return { client, times: (part: string) => asked.filter((text) => text.includes(part)).length }
}

/** The outcome, once the clock was moved on until there is one. */
async function outcome<T>(clock: ReturnType<typeof testClock>, work: Promise<T>): Promise<T | string> {
  let found: { readonly is: T | string } | undefined
  work.then(
    (value) => (found = { is: value }),
    (error: StoreError) => (found = { is: error.code }),
  )
  while (found === undefined) {
    await clock.advance(1_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return found.is
}

const commit = (store: Store) => store.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])
const questions: readonly (readonly [string, string, (store: Store) => Promise<unknown>, unknown, string])[] =
  [
    ['commit', 'commit_one', commit, [{ ok: true, rev: 2 }], 'unknown'],
    ['head', 'select rev', (store) => store.head(), 1, 'unreachable'],
    ['read', 'enable_seqscan', (store) => store.read(async (view) => view.rev), 1, 'unreachable'],
    [
      'changes',
      'changes_since',
      (store) => store.changes({ after: 1, prefixes: ['a'] }),
      { rev: 2, put: [], gone: [], more: false },
      'unreachable',
    ],
  ]

describe('a query that the client never settles', () => {
  it.each(questions)(
    'does not hang %s: its answer counts as lost, and is asked for again',
    async (_, part, ask, answer) => {
      const clock = testClock()
      let silences = 0
      const { client, times } = fakeClient((text) => {
        if (!text.includes(part) || silences === 1) return false
        silences += 1
        return true
      })
      const store = await postgresStore(client, { realm: 'r', timers: clock.timers })
      expect(await outcome(clock, ask(store))).toEqual(answer)
      expect(times(part)).toBe(2)
    },
  )

  it.each(questions)(
    'makes %s fail when the second answer is not given either',
    async (_, part, ask, __, code) => {
      const clock = testClock()
      const { client, times } = fakeClient((text) => text.includes(part))
      const store = await postgresStore(client, { realm: 'r', timers: clock.timers, settleMs: 5_000 })
      const asking = ask(store)
      await clock.advance(4_999)
      expect(times(part)).toBe(1)
      expect(await outcome(clock, asking)).toBe(code)
      expect(times(part)).toBe(2)
    },
  )

  it('leaves a large commit more time than a small one: half a second per megabyte', async () => {
    const clock = testClock()
    const { client, times } = fakeClient((text) => text.includes('commit_one'))
    const store = await postgresStore(client, { realm: 'r', timers: clock.timers, settleMs: 5_000 })
    // Megabytes are counted as they may be at most before they are written out: six for a character.
    const committing = store.commit([{ id: '1', put: [{ key: 'a', value: 'x'.repeat(4_000_000) }] }])
    await clock.advance(5_000 + 11_000)
    expect(times('commit_one')).toBe(1)
    await clock.advance(3_000)
    await expect.poll(() => times('commit_one')).toBe(2)
    expect(await outcome(clock, committing)).toBe('unknown')
  })

  it('is told apart from a commit within the reads that hold all connections', async () => {
    const clock = testClock()
    const { client } = fakeClient((text) => text.includes('commit_one'))
    const one = Object.assign(client, { options: { max: 1 } })
    const store = await postgresStore(one, { realm: 'r', timers: clock.timers, settleMs: 5_000 })
    const said = (work: Promise<unknown>) => work.catch((error: StoreError) => error.message)
    const within = said(store.read(() => commit(store)))
    await outcome(clock, within)
    expect(await within).toMatch(/reads held all 1 connections of the client; .*same ids again$/)
    const behind = said(commit(store))
    await outcome(clock, behind)
    expect(await behind).toMatch(/^the connection to the database was lost/)
  })

  it('does not hang a read whose transaction never begins', async () => {
    const clock = testClock()
    const { client } = fakeClient((text) => text.includes('repeatable read'))
    const store = await postgresStore(client, { realm: 'r', timers: clock.timers })
    expect(await outcome(clock, store.head())).toBe(1)
    expect(
      await outcome(
        clock,
        store.read(async (view) => view.rev),
      ),
    ).toBe('unreachable')
  })

  it('leaves a read its time once it has begun', async () => {
    const clock = testClock()
    const { client } = fakeClient(() => false)
    const store = await postgresStore(client, { realm: 'r', timers: clock.timers })
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let calls = 0
    const reading = store.read(async (view) => {
      calls += 1
      await held
      return view.rev
    })
    await clock.advance(3_600_000)
    release()
    expect(await reading).toBe(1)
    expect(calls).toBe(1)
  })

  it('answers a read once, even if an attempt that was given up begins after all', async () => {
    const clock = testClock()
    const { client } = fakeClient(() => false)
    let late = () => {}
    const delayed = new Promise<void>((resolve) => {
      late = resolve
    })
    const zombies: Promise<unknown>[] = []
    const begin: PostgresJsClient['begin'] = (mode, work) => {
      if (zombies.length > 0) return client.begin(mode, work)
      const zombie = delayed.then(() => client.begin(mode, work))
      zombies.push(zombie)
      return zombie
    }
    const store = await postgresStore({ ...client, begin }, { realm: 'r', timers: clock.timers })
    let calls = 0
    expect(
      await outcome(
        clock,
        store.read(async () => (calls += 1)),
      ),
    ).toBe(1)
    late()
    await expect(zombies[0]).rejects.toThrow('too late')
    expect(calls).toBe(1)
  })

  it('does not hang the closing of a store', async () => {
    const clock = testClock()
    const { client } = fakeClient(() => false)
    const listen = async () => ({ unlisten: () => never })
    const store = await postgresStore({ ...client, listen }, { realm: 'r', timers: clock.timers })
    expect(await outcome(clock, store.close())).toBe(undefined)
  })

  it('fails the opening of a store, and keeps it from hearing others, but not from opening', async () => {
    const clock = testClock()
    const silent = fakeClient((text) => text.includes('server_encoding'))
    const opening = postgresStore(silent.client, { realm: 'r', timers: clock.timers })
    expect(await outcome(clock, opening)).toBe('unreachable')

    const deaf = fakeClient((text) => text === 'listen')
    const store = await outcome(clock, postgresStore(deaf.client, { realm: 'r', timers: clock.timers }))
    expect(store).toHaveProperty('commit')
  })
})
