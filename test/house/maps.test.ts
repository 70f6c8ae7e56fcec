import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const rooms = ['scheduler', 'secrets', 'store', 'filter', 'http', 'console'] as const

const maps = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...rooms.map((room) => join('src', room, 'README.md')),
] as const

/** The names in backticks of a text that are paths: of files, or of folders with a slash in them. */
const pathsIn = (text: string): readonly string[] =>
  [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`\s]+)`/g)]
    .flatMap(([, name = '']) => name)
    .filter(
      (name) =>
        /^[.\w-]+(\/[.\w-]+)*\.(ts|tsx|mjs|md|peggy|json)$/.test(name) ||
        /^(src|test|site|grammar)\//.test(name),
    )
    .filter((name) => !/[<…*]|NAME/.test(name))

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n')
const names = new Set(tracked.map((file) => basename(file)))

/** What `npm run docs:build` generates. */
const isGenerated = (path: string) => /^site\/(api|reference)\b/.test(path)

/** A path from the root, from the folder of its page, or the end of one below it; a bare name is that of some file. */
function exists(map: string, path: string): boolean {
  if (!path.includes('/')) return names.has(path)
  const home = dirname(map)
  const below = home === '.' ? '' : `${home}/`
  return (
    [path, join(home, path)].some((each) => existsSync(each)) ||
    tracked.some((file) => file.startsWith(below) && file.endsWith(`/${path}`))
  )
}

describe('the maps of the house', () => {
  it.each(maps)('%s names files and folders that exist', (map) => {
    const named = pathsIn(readFileSync(map, 'utf8'))
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter((path) => !isGenerated(path) && !exists(map, path))).toEqual([])
  })

  it.each(rooms)('the map of src/%s has every folder of it, and fits on one screen', (room) => {
    const map = readFileSync(join('src', room, 'README.md'), 'utf8')
    const folder = join('src', room, room === 'secrets' ? 'service' : room === 'console' ? 'app' : '.')
    const folders = readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory())
    expect(folders.filter((name) => !map.includes(`\`${name}\``) && !map.includes(`/${name}\``))).toEqual([])
    expect(map.split('\n').length).toBeLessThan(70)
  })
})
