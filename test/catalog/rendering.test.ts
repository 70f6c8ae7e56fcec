import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../src/catalog/index.ts'
import { answerRenderer } from '../../src/catalog/wire/rendering.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { served } from './catalog.ts'

const tangled = (number: number) => `${'- a\n'.repeat(900)}- number ${number}`
const written = (number: number) => `<pre>${tangled(number)}</pre>\n`

describe('the texts of one answer', () => {
  it('are rendered while there are not too many, and shown as they were written from there on', async () => {
    const { catalog, alice } = await served()
    const box = { username: 'alice', name: 'tiny' }
    unwrap(await catalog.createBox(box))
    for (let at = 0; at < 40; at += 1)
      unwrap(await catalog.createVersion(box, { version: `1.${at}`, description: tangled(at) }))
    const read = async (): Promise<string[]> => {
      const { versions } = (await alice('GET /api/v2/box/alice/tiny')).body
      return versions.map((version: { description_html: string }) => version.description_html)
    }
    const shown = await read()
    expect(shown[0]).toBe(renderMarkdown(tangled(39)))
    expect(shown.at(-1)).toBe(written(0))
    expect(shown.filter((html) => html.startsWith('<ul>')).length).toBeGreaterThan(5)
    expect(await read()).toEqual(shown)
    const alone = await alice('GET /api/v2/box/alice/tiny/version/1.0')
    expect(alone.body.description_html).toBe(renderMarkdown(tangled(0)))
  })

  it('are all rendered where people wrote a few lines about each of a thousand versions', () => {
    const html = answerRenderer()
    for (let at = 0; at < 1000; at += 1) {
      const notes = `## Release ${at}\n\n* A *new* kernel\n* see [the list](https://example.com/${at})\n`
      expect(html(notes)).toBe(renderMarkdown(notes))
    }
  })

  it('have no HTML any more after eight million characters of it', async () => {
    const { catalog, alice } = await served()
    const box = { username: 'alice', name: 'tiny' }
    unwrap(await catalog.createBox(box))
    const signs = '&'.repeat(19_000)
    for (let at = 0; at < 90; at += 1)
      unwrap(await catalog.createVersion(box, { version: `1.${at}`, description: `${signs}${at}` }))
    const { versions } = (await alice('GET /api/v2/box/alice/tiny')).body
    const lengths = versions.map((version: { description_html: string }) => version.description_html.length)
    const shown = lengths.filter((length: number) => length > 0)
    expect(lengths.slice(0, shown.length)).toEqual(shown)
    expect(shown.length).toBe(Math.ceil(8_000_000 / (5 * signs.length + 10)))
    expect(versions.at(-1).description_markdown).toBe(`${signs}0`)
  })

  it('are counted together where it is a search', async () => {
    const { catalog, alice } = await served()
    const release = { version: '1.0', providers: [{ name: 'qemu', url: 'https://example.com/x.box' }] }
    const signs = '&'.repeat(20_000)
    const boxes = Array.from({ length: 90 }, (_, at) => ({
      tag: `alice/box-${at}`,
      private: false,
      description: signs,
      versions: [release],
    }))
    unwrap(await catalog.load({ boxes }))
    const found = (await alice('GET /api/v2/search?limit=100')).body.boxes
    const shown = found.filter((box: { description_html: string }) => box.description_html !== '')
    expect([found.length, shown.length]).toEqual([90, 80])
  })

  it('are told apart though they begin alike', () => {
    const [one, other] = ['one', 'other'].map((end) => `${'word '.repeat(3600)}${end}`)
    const html = answerRenderer()
    for (const text of [one, other, one]) expect(html(text ?? '')).toBe(`<p>${text}</p>\n`)
  })
})
