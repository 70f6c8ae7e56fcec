import { describe, expect, it } from 'vitest'
import { eventEmitter } from '../../../src/kernel/event-emitter.ts'
import { tally } from '../../../src/store/background/tally.ts'
import { testClock } from '../../../src/testing/index.ts'

/** A tally whose commits take until they are let through. */
function counting() {
  const clock = testClock()
  const stored: (readonly (readonly [string, number])[])[] = []
  const errors: unknown[] = []
  let gate: Promise<void> = Promise.resolve()
  let failure: Error | undefined
  const counts = tally({
    timers: clock.timers,
    onError: eventEmitter((error: unknown) => errors.push(error)),
    store: async (batch) => {
      await gate
      if (failure) throw failure
      stored.push(batch)
    },
  })
  const hold = () => {
    let release = () => {}
    gate = new Promise((resolve) => {
      release = resolve
    })
    return release
  }
  const fail = (error?: Error) => {
    failure = error
  }
  const note = (...ids: string[]) => {
    for (const id of ids) counts.note(id)
  }
  return { clock, stored, errors, counts, hold, fail, note }
}

describe('counting what happens often', () => {
  it('stores together what comes within a second, added up', async () => {
    const { clock, stored, note, counts } = counting()
    note('a', 'b', 'a')
    await clock.advance(999)
    expect(stored).toEqual([])
    note('a')
    await clock.advance(1)
    expect(stored).toEqual([
      [
        ['a', 3],
        ['b', 1],
      ],
    ])
    expect(counts.waiting().size).toBe(0)
    await clock.advance(10_000)
    expect(stored).toHaveLength(1)
  })

  it('stores at once when a caller waits, and no more often because of it', async () => {
    const { clock, stored, note, counts } = counting()
    note('a')
    await Promise.all([counts.settled(), counts.settled()])
    await counts.settled()
    await clock.advance(1000)
    expect(stored).toEqual([[['a', 1]]])
  })

  it('stores counts noted during a commit with the next one; a waiting caller waits for both', async () => {
    const { clock, stored, note, counts, hold } = counting()
    const release = hold()
    note('a')
    await clock.advance(1000)
    note('a', 'b')
    expect([...counts.waiting()]).toEqual([
      ['a', 2],
      ['b', 1],
    ])
    const settled = counts.settled()
    release()
    await settled
    expect(stored).toEqual([
      [['a', 1]],
      [
        ['a', 1],
        ['b', 1],
      ],
    ])
  })

  it('says what waits once no commit is under way, which stays true of that moment', async () => {
    const { clock, note, counts, hold } = counting()
    const release = hold()
    note('a', 'a')
    const before = counts.waiting()
    await clock.advance(1000)
    let rested = false
    const resting = counts.rested().then(() => {
      rested = true
    })
    await clock.advance(0)
    expect(rested).toBe(false)
    release()
    await resting
    expect([before.get('a'), counts.waiting().get('a')]).toEqual([2, undefined])
  })

  it('changes as many counters in one commit as fit', async () => {
    const { stored, note, counts } = counting()
    const ids = Array.from({ length: 70 }, (_, at) => `box ${at}`)
    note(...ids)
    await counts.settled()
    expect(stored.map(({ length }) => length)).toEqual([32, 32, 6])
    expect(stored.flat().map(([id]) => id)).toEqual(ids)
  })

  it('keeps what could not be stored for the next time', async () => {
    const { clock, stored, errors, note, counts, fail } = counting()
    fail(new Error('disk full'))
    note('a')
    await clock.advance(1000)
    await counts.settled()
    expect(errors.map(String)).toEqual(['Error: disk full', 'Error: disk full'])
    expect(counts.waiting().get('a')).toBe(1)
    fail()
    note('a')
    await clock.advance(1000)
    expect(stored).toEqual([[['a', 2]]])
  })
})
