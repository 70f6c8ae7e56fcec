import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const table = /## Caches[\s\S]*?(?=\n## )/.exec(readFileSync('ARCHITECTURE.md', 'utf8'))?.[0] ?? ''
const listed = new Set([...table.matchAll(/`([a-z0-9/-]+\.ts)`/g)].map(([, path = '']) => path))

/** How a cache looks: an lru, or a map that is emptied at a size. */
const isCache = (text: string): boolean =>
  /\blru(?:<|\()/.test(text) || /\.size >=? \w+[^\n]*\n?[^\n]*\.(?:clear|delete)\(/.test(text)

it('every cache is listed in ARCHITECTURE with what bounds it, and what is listed exists', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !/generated|^console\/app|^cli\/|^kernel\/lru/.test(path),
  )
  const caches = files.filter((path) => isCache(readFileSync(`src/${path}`, 'utf8')))
  expect(caches.length).toBeGreaterThan(10)
  expect(caches.filter((path) => !listed.has(path))).toEqual([])
  expect([...listed].filter((path) => !existsSync(`src/${path}`) && !existsSync(path))).toEqual([])
})

it('a new cache would be found', () => {
  expect(isCache('const known = lru<string>(10, () => 1)')).toBe(true)
  expect(isCache('if (known.size >= most) known.clear()')).toBe(true)
  expect(isCache('known.set(key, value)')).toBe(false)
})
