import { describe, expect, it } from 'vitest'
import type { Changes, Rev, Since } from '../../src/store/index.ts'
import { newsOf, type Wanted } from '../../src/store/postgres/news.ts'

/** A follower that waits for changes after a revision. */
const from = (after: Rev, prefixes: readonly string[] = ['a']): Since => ({
  after,
  prefixes,
  background: true,
})
const upTo = (rev: Rev, ...changed: readonly Rev[]): Changes => ({
  rev,
  put: changed.map((modified) => ({ key: `a${modified}`, value: modified, created: 1, modified })),
  gone: [],
  more: false,
})
/** What a process knows whose follower has come to revision 10. */
const followed = () => {
  const news = newsOf()
  news.followed(from(10))
  const wanted = news.wanted(100) as Wanted
  return { news, wanted }
}

describe('the answer to a commit', () => {
  it('brings what the follower would ask for, once', () => {
    const { news, wanted } = followed()
    expect(wanted).toMatchObject({ after: 10, prefixes: '{"a"}' })
    news.answered(wanted, upTo(12, 11, 12))
    news.heardOf(12)
    expect(news.isNew()).toBe(false)
    expect(news.taken(from(10))).toEqual(upTo(12, 11, 12))
    expect(news.taken(from(10))).toBeUndefined()
    expect(news.wanted(100)).toMatchObject({ after: 12 })
  })

  it('brings only what is new to a follower that asked meanwhile', () => {
    const { news, wanted } = followed()
    news.answered(wanted, upTo(12, 11, 12))
    expect(news.taken(from(11))).toEqual(upTo(12, 12))
    news.answered(wanted, upTo(12, 11, 12))
    expect(news.taken(from(12))).toBeUndefined()
  })

  it.each([
    ['one that follows other keys', from(10, ['b'])],
    ['one that is behind what was asked for', from(9)],
    ['a caller, who is answered with the newest', { after: 10, prefixes: ['a'] }],
  ])('brings nothing to %s', (_, since) => {
    const { news, wanted } = followed()
    news.answered(wanted, upTo(12, 11, 12))
    expect(news.taken(since)).toBeUndefined()
  })

  it('is not enough once a later commit was announced: those who wait have to ask', () => {
    const { news, wanted } = followed()
    news.answered(wanted, upTo(12, 11, 12))
    news.heardOf(13)
    expect(news.isNew()).toBe(true)
    expect(news.taken(from(10))).toBeUndefined()
  })

  it('brings nothing if nobody follows, if the follower is far behind, or if the commit is large', () => {
    expect(newsOf().wanted(100)).toBeUndefined()
    const { news } = followed()
    expect(news.wanted(10_000_000)).toBeUndefined()
    news.heardOf(1_000)
    expect(news.wanted(100)).toBeUndefined()
  })

  it('is not taken in part: what it had no room for is asked for', () => {
    const { news, wanted } = followed()
    news.answered(wanted, { ...upTo(12, 11, 12), more: true })
    news.heardOf(20)
    expect(news.isNew()).toBe(true)
    expect(news.taken(from(10))).toBeUndefined()
  })
})

describe('an announcement', () => {
  it('of a known commit is no news; without a revision it is', () => {
    const { news, wanted } = followed()
    news.answered(wanted, upTo(12, 11, 12))
    news.heardOf(11)
    expect(news.isNew()).toBe(false)
    news.heardOf(undefined)
    expect(news.isNew()).toBe(true)
    news.passedOn()
    expect(news.isNew()).toBe(false)
  })

  it('of a realm that was set back is news again', () => {
    const { news, wanted } = followed()
    news.answered(wanted, upTo(12, 11, 12))
    news.forget()
    news.heardOf(3)
    expect(news.isNew()).toBe(true)
    expect(news.taken(from(10))).toBeUndefined()
  })
})
