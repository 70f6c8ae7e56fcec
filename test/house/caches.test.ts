import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const table = /## Caches[\s\S]*?(?=\n## )/.exec(readFileSync('ARCHITECTURE.md', 'utf8'))?.[0] ?? ''
const listed = new Set([...table.matchAll(/`([a-z0-9/-]+\.ts)`/g)].map(([, path = '']) => path))

/** What a cache looks like: an lru, a memo, a map that outlives every call, or one that is emptied at a size. */
const looks = [
  /\blru(?:<|\()/,
  /\bmemo(?:<|\()/,
  /^(?:export )?const \w+ = new (?:Map|Set)(?:<.*>)?\(\)$/m,
  /\.size [<>]=? [^\n]*(?:\n[^\n]*){0,2}\.(?:clear|delete)\(/,
]
const isCache = (text: string): boolean => looks.some((look) => look.test(text))

it('every cache is listed in ARCHITECTURE with what bounds it, and what is listed exists', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !/generated|^console\/app|^cli\/|^kernel\/lru|read\/memo/.test(path),
  )
  const caches = files.filter((path) => isCache(readFileSync(`src/${path}`, 'utf8')))
  expect(caches.length).toBeGreaterThan(10)
  expect(caches.filter((path) => !listed.has(path))).toEqual([])
  expect([...listed].filter((path) => !existsSync(`src/${path}`) && !existsSync(path))).toEqual([])
})

it('a new cache would be found', () => {
  expect(isCache('const known = lru<string>(10, () => 1)')).toBe(true)
  expect(isCache('if (known.size >= most) known.clear()')).toBe(true)
  expect(isCache('const byRow = memo((row: Row) => shown(row))')).toBe(true)
  expect(isCache('const known = new Map<string, Set<string>>()')).toBe(true)
  expect(
    isCache(
      'kept.set(key, value)\nif (kept.size <= most) return\nfor (const oldest of kept.keys()) kept.delete(oldest)',
    ),
  ).toBe(true)
  expect(isCache('known.set(key, value)')).toBe(false)
  // It ends with the call.
  expect(isCache('  const known = new Map<string, string>()')).toBe(false)
})
