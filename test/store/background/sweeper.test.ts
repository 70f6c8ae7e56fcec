import { describe, expect, it } from 'vitest'
import {
  collection,
  markOf,
  memoryStore,
  replica,
  type Sweep,
  sweeper,
  transact,
} from '../../../src/store/index.ts'
import { testClock } from '../../../src/testing/index.ts'

interface Token {
  readonly id: string
  readonly expiresAt?: number
}
const tokens = collection<Token>({
  name: 'token',
  key: (token) => [token.id],
  indexes: { due: (token) => (token.expiresAt === undefined ? undefined : [token.expiresAt]) },
})
const due = { collection: tokens, index: 'due' }

const open = async (count: number) => {
  const clock = testClock({ now: 1_000_000 })
  const store = memoryStore()
  const view = await replica(store, [tokens])
  const put = (token: Token) =>
    transact(
      view,
      () => clock.env().newId('commit'),
      (tx) => tx.put(tokens, token),
    )
  for (let n = 0; n < count; n += 1) await put({ id: `t${n}`, expiresAt: clock.now() + n * 1000 })
  const left = () => tokens.list(view.stale()).length
  return { clock, store, view, put, left, sweeper: () => sweeper(view, [due], { name: 'tokens', ...clock }) }
}

describe('a sweeper', () => {
  it('removes what is due, in bounded commits, and nothing else', async () => {
    const { clock, store, view, put, left, sweeper: start } = await open(50)
    await put({ id: 'for-ever' })
    const sweeps = start()
    const sizes: number[] = []
    store.onCommit((_, keys) => sizes.push(keys.length))
    await clock.set(clock.now() + 29_000)
    await sweeps.sweep()
    expect(left()).toBe(21)
    expect(sizes.length).toBeGreaterThan(3)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64)
    expect(view.stale().get(tokens.keyOf('for-ever'))).toBeDefined()
    expect(store.snapshot().scan({ prefix: 'token#due' })).toHaveLength(20)
    await sweeps.close()
  })

  it('runs by itself, writes nothing while nothing is due, and stops when closed', async () => {
    const { clock, store, left, sweeper: start } = await open(1)
    const sweeps = start()
    await clock.advance(5_000)
    expect(left()).toBe(0)
    const head = await store.head()
    await clock.advance(60_000)
    expect(await store.head()).toBe(head)
    await sweeps.close()
  })

  it('leaves a record alone that was renewed after it was found', async () => {
    const { clock, store, view, put, left } = await open(1)
    const renewing = sweeper(
      {
        ...view,
        store: {
          ...view.store,
          read: async (fn) => {
            const found = await view.store.read(fn)
            if (
              Array.isArray(found) &&
              found.length === 1 &&
              store.snapshot().get(tokens.keyOf('t0'))?.modified === 1
            )
              await put({ id: 't0', expiresAt: clock.now() + 99_000 })
            return found
          },
        },
      },
      [due],
      { name: 'tokens', ...clock },
    )
    expect(await renewing.sweep()).toBe(0)
    expect(left()).toBe(1)
    await renewing.close()
  })

  it('takes turns: another sweeper waits for the lease, and takes it over once it has run out', async () => {
    const { clock, put, left, sweeper: start } = await open(1)
    const [one, two] = [start(), start()]
    expect(await one.sweep()).toBe(1)
    await put({ id: 'next', expiresAt: clock.now() })
    expect(await two.sweep()).toBe(0)
    await one.close()
    await clock.set(clock.now() + 16_000)
    await two.sweep()
    expect(left()).toBe(0)
    await two.close()
  })

  it('waits for the end of a lease that was taken for longer than its own would be', async () => {
    const { clock, view, put, left, sweeper: start } = await open(1)
    const long = sweeper(view, [due], { name: 'tokens', ...clock, leaseMs: 60_000 })
    const short = start()
    expect(await long.sweep()).toBe(1)
    await put({ id: 'next', expiresAt: clock.now() })
    expect(await short.sweep()).toBe(0)
    await clock.set(clock.now() + 59_000)
    expect(await short.sweep()).toBe(0)
    await long.close()
    await clock.set(clock.now() + 2_000)
    await short.sweep()
    expect(left()).toBe(0)
    await short.close()
  })

  it('takes over a lease at its end, and not after the time that its own would last', async () => {
    const { clock, view, put, left, sweeper: start } = await open(1)
    const long = sweeper(view, [due], { name: 'tokens', ...clock, leaseMs: 3_600_000, everyMs: 3_600_000 })
    const short = start()
    expect(await short.sweep()).toBe(1)
    await short.close()
    await put({ id: 'next', expiresAt: clock.now() })
    expect(await long.sweep()).toBe(0)
    await clock.set(clock.now() + 15_000)
    expect(await long.sweep()).toBe(1)
    expect(left()).toBe(0)
    await long.close()
  })

  it('leaves a lease alone whose holder has a clock that is some seconds ahead', async () => {
    const { clock, view, put } = await open(1)
    const ahead = testClock({ now: clock.now() + 10_000 })
    const env = () => ({ ...clock.env(), now: ahead.now() })
    const fast = sweeper(view, [due], { name: 'tokens', ...ahead, env })
    const slow = sweeper(view, [due], { name: 'tokens', ...clock })
    expect(await fast.sweep()).toBe(1)
    await put({ id: 'next', expiresAt: clock.now() })
    expect(await slow.sweep()).toBe(0)
    expect(await fast.sweep()).toBe(1)
    await Promise.all([fast.close(), slow.close()])
  })

  it('does not wait for a lease that was taken before the clock was set back by a day', async () => {
    const { clock, view, left } = await open(2)
    const ahead = testClock({ now: clock.now() + 86_400_000 })
    const env = () => ({ ...clock.env(), now: ahead.now() })
    const gone = sweeper(view, [{ ...due, expire: () => {} }], { name: 'tokens', ...ahead, env })
    await gone.sweep().catch(() => undefined)
    await gone.close()
    const next = sweeper(view, [due], { name: 'tokens', ...clock })
    expect(await next.sweep()).toBe(1)
    expect(left()).toBe(1)
    await next.close()
  })

  it('is refused when it wakes up after its lease went to another', async () => {
    const { clock, view, left } = await open(3)
    let paused = 0
    const stolen = sweeper(
      view,
      [
        {
          ...due,
          expire: (tx, record) => {
            // Between this decision and its commit the process sleeps, and another one sweeps.
            paused += 1
            if (paused === 1)
              void view.store.commit([
                {
                  id: 'thief',
                  put: [
                    {
                      key: 'sweep-lease\u0001tokens',
                      value: { name: 'tokens', holder: 'thief', until: clock.now() + 15_000 },
                    },
                  ],
                },
              ])
            tx.delete(tokens, (record.value as Token).id)
          },
        },
      ],
      { name: 'tokens', ...clock },
    )
    expect(await stolen.sweep()).toBe(0)
    expect(left()).toBe(3)
    await stolen.close()
  })

  it('skips records that cannot be swept: the others are removed, and the first error is reported', async () => {
    const { clock, view, put, left } = await open(30)
    await clock.set(clock.now() + 30_000)
    const errors: unknown[] = []
    const sweeps = sweeper(
      view,
      [
        {
          ...due,
          expire: (tx, { value }) => {
            const { id } = value as Token
            tx.touch('expiries', id)
            if (['t0', 't7', 't8', 't29'].includes(id)) throw new Error(`${id} has a hold`)
            tx.delete(tokens, id)
          },
        },
      ],
      { name: 'tokens', ...clock, onError: (error) => errors.push(error) },
    )
    await expect(sweeps.sweep()).rejects.toThrow('t0 has a hold')
    expect(left()).toBe(4)
    // Nothing of what it did for them before it threw is kept.
    expect(view.stale().get(markOf('expiries', 't7'))).toBeUndefined()
    expect(view.stale().get(markOf('expiries', 't9'))).toBeDefined()
    await put({ id: 'later', expiresAt: clock.now() + 1000 })
    await clock.advance(5_000)
    expect(left()).toBe(4)
    expect(errors).toEqual([expect.objectContaining({ message: 't0 has a hold' })])
    await sweeps.close()
  })

  it('sweeps one by one what takes too many keys for one commit together', async () => {
    const { clock, view, left } = await open(10)
    await clock.set(clock.now() + 10_000)
    const expire: Sweep<Token>['expire'] = (tx, { value }) => {
      for (let n = 0; n < 9; n += 1) tx.touch('cascade', value.id, n)
      tx.delete(tokens, value.id)
    }
    const sweeps = sweeper(view, [{ ...due, expire } as Sweep<unknown>], { name: 'tokens', ...clock })
    expect(await sweeps.sweep()).toBe(10)
    expect(left()).toBe(0)
    await sweeps.close()
  })

  it('stops on an expiry that changes nothing, instead of going round for ever', async () => {
    const { clock, view } = await open(1)
    const sweeps = sweeper(view, [{ ...due, expire: (tx) => tx.touch('looked') }], {
      name: 'tokens',
      ...clock,
    })
    await expect(sweeps.sweep()).rejects.toThrow('left a record of token as due')
    await sweeps.close()
  })
})
