import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Json,
  keyOf,
  markOf,
  memoryStore,
  restoreRealm,
  type Store,
  type StoreError,
  saveRealm,
} from '../../../src/store/index.ts'

const filled = async (count: number) => {
  const store = memoryStore()
  for (let n = 0; n < count; n += 1)
    await store.commit([
      {
        id: `c${n}`,
        put: [{ key: keyOf('k', n % 300, '😀'), value: { n, text: 'é\n\u0000\ud800' } }],
        touch: [markOf('k')],
      },
    ])
  return store
}
const saved = async (store: Store) => {
  let text = ''
  await saveRealm(store, (piece) => {
    text += piece
  })
  return text
}
const everything = (store: Store) => store.read((view) => view.scan({ prefix: '' }))
const refusal = async (text: string) => {
  const store = memoryStore()
  const said = await restoreRealm(store, [text]).then(
    () => 'restored',
    (error: StoreError) => `${error.code}: ${error.message}`,
  )
  if (said !== 'restored') expect([await store.head(), await everything(store)]).toEqual([0, []])
  return said
}

describe('a saved realm', () => {
  it('restores every entry, revision and the head, in pieces of any size', async () => {
    const store = await filled(1200)
    const text = await saved(store)
    const bytes = Buffer.from(text)
    for (const size of [1 << 20, 4096, 7]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, at * size + size),
      )
      const other = memoryStore()
      expect(await restoreRealm(other, pieces)).toBe(1200)
      expect(await everything(other)).toEqual(await everything(store))
      expect(await other.head()).toBe(1200)
    }
  })

  it('restores a line of megabytes that comes in tens of thousands of pieces, each looked through once', async () => {
    const store = memoryStore()
    await store.commit([{ id: '1', put: [{ key: 'a', value: 'é'.repeat(1 << 20) }] }])
    const bytes = Buffer.from(await saved(store))
    const pieces = (function* () {
      for (let at = 0; at < bytes.length; at += 61) yield bytes.subarray(at, at + 61)
    })()
    const other = memoryStore()
    expect(await restoreRealm(other, pieces)).toBe(1)
    expect(await everything(other)).toEqual(await everything(store))
  })

  it('is refused before a line is longer than memory, or when it ends within a character', async () => {
    const endless = (function* () {
      yield '{"plinth":"realm","format":1,"head":1}\n'
      for (;;) yield 'x'.repeat(1 << 24)
    })()
    await expect(restoreRealm(memoryStore(), endless)).rejects.toMatchObject({ code: 'corrupt' })
    const bytes = Buffer.concat([Buffer.from(await saved(await filled(3))), Buffer.from([0xf0, 0x9f])])
    await expect(restoreRealm(memoryStore(), [bytes])).rejects.toMatchObject({ code: 'corrupt' })
  })

  it('goes on counting revisions where the realm stood, also when it was empty', async () => {
    const other = memoryStore()
    await restoreRealm(other, [await saved(await filled(10))])
    expect(await other.commit([{ id: 'next', put: [{ key: 'a', value: 1 }] }])).toEqual([
      { ok: true, rev: 11 },
    ])
    const empty = memoryStore()
    expect(await restoreRealm(empty, [await saved(memoryStore())])).toBe(0)
  })

  it('is asked for and written a little at a time, however large its entries are', async () => {
    const large = 'x'.repeat(300_000)
    const store = memoryStore()
    for (let n = 0; n < 100; n += 1)
      await store.commit([{ id: `large-${n}`, put: [{ key: `a${n}`, value: large }] }])
    for (let n = 0; n < 3000; n += 1) await store.commit([{ id: `${n}`, put: [{ key: `b${n}`, value: n }] }])
    const asked: { limit: number | undefined; units: number }[] = []
    const watched: Store = {
      ...store,
      read: (fn) =>
        store.read((view) =>
          fn({
            ...view,
            scan: async (range) => {
              const page = await view.scan(range)
              asked.push({ limit: range.limit, units: JSON.stringify(page).length })
              return page
            },
          }),
        ),
    }
    const pieces: string[] = []
    expect(await saveRealm(watched, (piece) => pieces.push(piece))).toBe(3100)
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(2 ** 21)
    expect(Math.max(...asked.slice(1).map(({ units }) => units))).toBeLessThan(2 ** 21)
    expect(asked.at(-1)?.limit).toBe(1000)
    const other = memoryStore()
    await restoreRealm(other, pieces)
    expect(other.snapshot().scan({ prefix: '' })).toEqual(store.snapshot().scan({ prefix: '' }))
  })

  it('shows its progress', async () => {
    const store = await filled(2500)
    const seen: number[] = []
    const text: string[] = []
    await saveRealm(store, (piece) => text.push(piece), { onProgress: ({ entries }) => seen.push(entries) })
    const restored: { entries: number; bytes: number }[] = []
    await restoreRealm(memoryStore(), text, { onProgress: (progress) => restored.push(progress) })
    expect(seen.at(-1)).toBe(301)
    expect(restored.at(-1)).toEqual({ entries: 301, bytes: Buffer.byteLength(text.join('')) })
  })

  it('is refused when it was changed, cut off, extended, or is something else', async () => {
    const text = await saved(await filled(5))
    const lines = text.trimEnd().split('\n')
    expect(await refusal('')).toMatch(/^foreign: this is not a saved realm/)
    expect(await refusal('hello\n')).toMatch(/^foreign/)
    expect(await refusal(text.replace('"format":1', '"format":2'))).toMatch(
      /^wrong_schema: the saved realm has format 2/,
    )
    expect(await refusal(text.replace('"head":5', '"head":"5"'))).toMatch(/^corrupt: line 1/)
    expect(await refusal(text.replace('"n":3', '"n":4'))).toMatch(
      /^corrupt: line 8: count or checksum do not match/,
    )
    expect(await refusal(lines.slice(0, -1).join('\n'))).toMatch(/^corrupt: line 7: the footer is missing/)
    expect(await refusal(text.slice(0, text.length / 2))).toMatch(/^corrupt: line \d+: not an entry/)
    expect(await refusal(`${text}${lines[1]}\n`)).toMatch(/^corrupt: line 9: there is more after the footer/)
    expect(await refusal([lines[0], '["k",9,1,1]', ...lines.slice(1)].join('\n'))).toMatch(
      /^corrupt: line 2: revisions must rise/,
    )
  })

  it('notices any single changed character', async () => {
    const text = await saved(await filled(3))
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length - 2),
        fc.constantFrom('0', '7', 'x', '"', ' '),
        async (at, char) => {
          fc.pre(text[at] !== char)
          expect(await refusal(text.slice(0, at) + char + text.slice(at + 1))).not.toBe('restored')
        },
      ),
      { numRuns: 400 },
    )
  })

  it('carries any JSON there is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        fc.pre(
          value !== null &&
            !JSON.stringify(value, (_, inner) => (Object.is(inner, -0) ? 'minus zero' : inner)).includes(
              'minus zero',
            ),
        )
        const store = memoryStore()
        await store.commit([{ id: '1', put: [{ key: 'a', value: value as Json }] }])
        const other = memoryStore()
        await restoreRealm(other, [await saved(store)])
        expect(await everything(other)).toEqual(await everything(store))
      }),
      { numRuns: 300 },
    )
  })
})
