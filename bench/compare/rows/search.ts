import { seededRandom } from '../../../src/kernel/seeded-random.ts'
import { accepted, counting, madeOnce, type Row } from '../row.ts'
import type { Tree } from '../tree.ts'

const count = 10_000
const random = seededRandom(5)
const upTo = (total: number) => Math.floor(random() * total)
const pick = (from: string): string => {
  const words = from.split(' ')
  return words[upTo(words.length)] ?? ''
}
const nouns = 'ubuntu debian centos fedora alpine vpc network bucket cluster database queue cache gateway'
const kinds = 'minimal server desktop docker simple secure private public multi region fast managed'
const providers = 'virtualbox libvirt qemu aws azure google'
/** A word, the beginning of one, two words. */
const queries = Array.from({ length: 300 }, (_, n) =>
  [pick(nouns), pick(kinds).slice(0, 4), `${pick(nouns)} ${pick(kinds)}`].at(n % 3),
)
const boxes = Array.from({ length: count }, (_, n) => ({
  username: `user${upTo(count / 10)}`,
  name: `${pick(nouns)}-${pick(kinds)}-${n}`,
  short_description: `A ${pick(kinds)} ${pick(nouns)} box with ${pick(kinds)} tools`,
  private: random() < 0.05,
  downloads: Math.floor(random() ** 6 * 1_000_000),
  versions: [
    {
      version: `1.${upTo(30)}.0`,
      status: 'active' as const,
      providers: [{ name: pick(providers), architecture: 'amd64', url: 'https://example.com/a.box' }],
    },
  ],
}))
const modules = Array.from({ length: count }, (_, n) => ({
  namespace: `team-${upTo(1000)}`,
  name: `${pick(kinds)}-${pick(nouns)}-${n}`,
  provider: pick('aws azure google'),
  owner: `user${upTo(500)}`,
  description: `A ${pick(kinds)} ${pick(nouns)} with ${pick(kinds)} ${pick(nouns)} support`,
  source: `https://git.example.com/${n}`,
  downloads: Math.floor(random() ** 8 * 1_000_000),
  versions: [{ version: '1.0.0', source: 'https://example.com/a.zip', root: { readme: 'A module.' } }],
}))

const catalog = madeOnce(async ({ load }: Tree) => {
  const service = (await load('./catalog')).createCatalog()
  accepted(await service.load({ boxes }))
  return service
})
const registry = madeOnce(async ({ load }: Tree) => {
  const service = (await load('./registry')).createRegistry()
  accepted(await service.load({ modules }))
  return service
})

export const search: readonly Row[] = [
  {
    name: 'search: 10,000 boxes',
    clock: 'cpu',
    operations: 100,
    prepare: async (tree) => {
      const callers = (await catalog(tree)).as({ kind: 'anonymous' })
      return counting(100, (n) =>
        callers.search({
          q: queries[n % queries.length] ?? '',
          sort: 'downloads',
          order: 'desc',
          offset: 0,
          limit: 10,
        }),
      )
    },
  },
  {
    name: 'search: 10,000 modules',
    clock: 'cpu',
    operations: 100,
    prepare: async (tree) => {
      const service = await registry(tree)
      return counting(100, (n) => service.search(queries[n % queries.length] ?? ''))
    },
  },
  {
    name: 'search: list page of 100 of 10,000 modules',
    clock: 'cpu',
    operations: 100,
    prepare: async (tree) => {
      const service = await registry(tree)
      return counting(100, (n) => service.list({ limit: 100, offset: (n * 389) % count }))
    },
  },
]
