import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { siteFolder } from '../browser/site-server.ts'

const isBuilt = existsSync(siteFolder)
const title = isBuilt ? 'the built site' : 'the built site (it is not built: npm run docs:build)'

describe(title, { skip: !isBuilt }, () => {
  const files = isBuilt ? readdirSync(siteFolder, { recursive: true, encoding: 'utf8' }) : []
  const pages = new Map(
    files
      .filter((file) => file.endsWith('.html'))
      .map((file) => [
        `/${file.replace(/(?:index)?\.html$/, '')}`,
        readFileSync(join(siteFolder, file), 'utf8'),
      ]),
  )
  const others = new Set(files.map((file) => `/${file}`))
  const anchors = new Map(
    [...pages].map(([path, html]) => [
      path,
      new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => unescaped(id))),
    ]),
  )

  it('has all its pages, each with its content', () => {
    for (const path of [
      '/',
      '/playground',
      '/guide/in-your-app',
      '/reference/filter',
      '/reference/commands',
      '/api/',
    ])
      expect([...pages.keys()]).toContain(path)
    const empty = [...pages].filter(
      ([path, html]) => path !== '/404' && !/<main|<h1|class="VPHome/.test(html),
    )
    expect(empty.map(([path]) => path)).toEqual([])
  })

  it('has no link to a page or an anchor that is not there', () => {
    const dead = [...pages].flatMap(([from, html]) =>
      [...html.matchAll(/<a [^>]*?href="([^"]+)"/g)].flatMap(([, href = '']) => {
        const url = new URL(unescaped(href), `http://site.test${from}`)
        if (url.host !== 'site.test') return []
        const path = posix.normalize(decodeURIComponent(url.pathname)).replace(/\.html$/, '')
        const to = [path, `${path}/`].find((each) => pages.has(each))
        if (to === undefined) return others.has(path) ? [] : `${from} → ${href}`
        const anchor = decodeURIComponent(url.hash.slice(1))
        return anchor === '' || anchors.get(to)?.has(anchor) ? [] : `${from} → ${href}`
      }),
    )
    expect([...new Set(dead)]).toEqual([])
  })

  it('is told as text, too', () => {
    expect(others.has('/llms-full.txt')).toBe(true)
    const list = readFileSync(join(siteFolder, 'llms.txt'), 'utf8')
    const links = [...list.matchAll(/\]\((\/[^)]+)\)/g)].map(([, path = '']) => path)
    expect(links.length).toBeGreaterThan(10)
    expect(links.filter((path) => !pages.has(path))).toEqual([])
  })
})

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')
