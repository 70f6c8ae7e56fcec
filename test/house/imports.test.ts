import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

/** The floors of the house, ground first: a file imports from its own floor's room or from below. */
const floors = [
  ['kernel', 'version.ts', 'index.ts'],
  ['filter', 'paging', 'search', 'hcl', 'networks', 'crypto'],
  ['store'],
  ['operation', 'trail', 'token', 'oidc', 'quota', 'webhooks'],
  ['http'],
  ['secrets', 'scheduler', 'gateway', 'catalog', 'registry'],
  ['testing', 'console'],
  ['cli'],
] as const

/** The floors of the secrets service, ground first: a concept imports from floors below its own. */
const secretsFloors = [
  ['core', 'refusals'],
  ['kv', 'policies', 'identity', 'audit', 'edge', 'tools', 'quotas'],
  ['tokens', 'transit', 'id-tokens'],
  ['access', 'logins', 'wrapping', 'seal', 'namespaces', 'host'],
  ['userpass', 'approle', 'idp', 'jwt', 'mounts'],
  ['concepts.ts', 'handles.ts'],
  ['request'],
  ['create-secrets.ts'],
  ['dev-secrets.ts'],
] as const

/**
 * Files of an engine that may touch store, HTTP or crypto: what stands around the pure core. Everything else in a
 * concept's folder (models, rules, commands, views) is the core.
 */
const around = [
  /\/(?:routes|service|operations|wire|records|load)\//,
  /(?:^|[/-])(?:wire|routes|service|records|load|index|kv)\.ts$/,
  /^secrets\/(?:headers\/listener|seal\/keyring)\.ts$/,
]

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

const everyFile = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('generated'))

/** What runs in a browser is another program. */
const files = everyFile.filter((path) => path.endsWith('.ts') && !path.startsWith('console/app/'))

const importPattern =
  /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm

const everyImport: readonly Import[] = everyFile.flatMap((from) => {
  const text = readFileSync(join('src', from), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  return [...text.matchAll(importPattern)].map((match) => {
    const target = match[2] ?? match[3] ?? ''
    const to = target.startsWith('.') ? normalize(join(dirname(from), target)).replaceAll('\\', '/') : target
    return { from, to, typeOnly: match[1] !== undefined }
  })
})

const imports = everyImport.filter(({ from }) => files.includes(from))

const room = (path: string) => path.split('/')[0] ?? ''
const floorOf = (path: string) =>
  floors.findIndex((rooms) => (rooms as readonly string[]).includes(room(path)))
const isLocal = ({ to }: Import) => to.endsWith('.ts') || to.endsWith('.js')
const list = (found: readonly Import[]) => found.map(({ from, to }) => `${from} -> ${to}`)

describe('the house', () => {
  it('has every room on a floor', () => {
    expect(files.filter((path) => floorOf(path) < 0)).toEqual([])
  })

  it('imports one way: from the same room or from a lower floor', () => {
    const wrong = imports.filter(isLocal).filter(({ from, to }) => {
      if (room(from) === room(to)) return false
      const [own, other] = [floorOf(from), floorOf(to)]
      return other > own || (own === other && own === floors.findIndex((rooms) => rooms[0] === 'secrets'))
    })
    expect(list(wrong)).toEqual([])
  })

  it('imports one way within the secrets service: no concept imports another of its floor, or the request stages', () => {
    const service = 'secrets/service/'
    const conceptOf = (path: string) => path.slice(service.length).split('/')[0] ?? ''
    const secretsFloorOf = (path: string) =>
      secretsFloors.findIndex((rooms) => (rooms as readonly string[]).includes(conceptOf(path)))
    const within = imports.filter(({ from, to }) => from.startsWith(service) && to.startsWith(service))
    expect(within.filter(({ from }) => secretsFloorOf(from) < 0)).toEqual([])
    const wrong = within.filter(
      ({ from, to }) => conceptOf(from) !== conceptOf(to) && secretsFloorOf(to) >= secretsFloorOf(from),
    )
    expect(list(wrong)).toEqual([])
  })

  it('keeps node: at the edge', () => {
    const allowed =
      /^(?:http\/node|crypto\/node[^/]*\.ts|store\/blobs\/|store\/(?:files|sqlite|postgres|etcd)|cli)/
    const wrong = imports.filter(({ from, to }) => to.startsWith('node:') && !allowed.test(from))
    expect(list(wrong)).toEqual([])
  })

  it('touches clock, timers and randomness in one file', () => {
    const globals =
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bsetTimeout\(|\bsetInterval\(|\b(?:randomUUID|getRandomValues)\(/
    const allowed =
      /^(?:kernel\/system-env\.ts|http\/node|crypto\/node|store\/blobs\/|store\/(?:files|sqlite|postgres)|cli)/
    const wrong = files.filter((path) => {
      const text = readFileSync(join('src', path), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      return !allowed.test(path) && globals.test(text)
    })
    expect(wrong).toEqual([])
  })

  it('draws randomness in two files: one for what is secret, one for what is not', () => {
    const drawn = files.filter((path) => {
      const text = readFileSync(join('src', path), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      return /\bMath\.random\b|\b(?:randomUUID|getRandomValues)\(|\b(?:randomBytes|randomFill\w*|randomInt)\b[^'"]*(?:\bfrom 'node:crypto'|\} = host\(\))/.test(
        text,
      )
    })
    expect(drawn).toEqual(['crypto/node.ts', 'kernel/system-env.ts'])
  })

  it('keeps pure engine files on kernel, filter, paging, search, hcl, networks and their own engine', () => {
    const engine = floors[5] as readonly string[]
    /** What decides about a token whose signature was verified. */
    const pureFiles = /^oidc\/(?:algorithms|check-claims|match-claims)\.ts$/
    const pureRooms = new Set(['kernel', 'filter', 'paging', 'search', 'hcl', 'networks'])
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        engine.includes(room(from)) &&
        from.split('/').length > 2 &&
        !around.some((pattern) => pattern.test(from)) &&
        !typeOnly &&
        to.endsWith('.ts') &&
        room(to) !== room(from) &&
        !pureRooms.has(room(to)) &&
        !pureFiles.test(to),
    )
    expect(list(wrong)).toEqual([])
  })

  it('has no circles, of types neither, the console in the browser included', () => {
    const next = new Map(
      everyFile.map((path) => [path, everyImport.filter(({ from }) => from === path).map(({ to }) => to)]),
    )
    const done = new Set<string>()
    const circles: string[] = []
    const walk = (path: string, way: readonly string[]): void => {
      if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' -> '))
      if (way.includes(path) || done.has(path)) return
      for (const to of next.get(path) ?? []) walk(to, [...way, path])
      done.add(path)
    }
    for (const path of everyFile) walk(path, [])
    expect(circles).toEqual([])
  })
})
