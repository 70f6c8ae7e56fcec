import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ModuleRow, moduleDirectory, searchPoints } from '../../src/registry/index.ts'
import { seededRandom } from '../../src/testing/index.ts'

const row = (change: Partial<ModuleRow>): ModuleRow => ({
  id: 'm',
  namespace: 'acme',
  name: 'vpc',
  provider: 'aws',
  owner: 'ada',
  description: '',
  source: '',
  verified: false,
  version: '1.0.0',
  publishedMicros: 0,
  downloads: 0,
  ...change,
})
const filled = (...rows: readonly Partial<ModuleRow>[]) => {
  const directory = moduleDirectory()
  for (const change of rows) directory.put(row(change))
  return directory
}
const names = (rows: readonly ModuleRow[]) => rows.map(({ name }) => name)
const all = { offset: 0, limit: 1000 }

const rowArbitrary = fc.record({
  namespace: fc.constantFrom('acme', 'Beta', 'c-3'),
  name: fc.constantFrom('vpc', 'VPC-net', 'db', 'net_db', 'x'),
  provider: fc.constantFrom('aws', 'google'),
  verified: fc.boolean(),
  downloads: fc.nat(3),
  owner: fc.constantFrom('ada', 'bob'),
  description: fc.constantFrom('A network', 'net-db for Ada', '', 'grün & blau'),
})
const fold = (text: string) => text.toLowerCase()
const keyOf = ({ namespace, name, provider }: ModuleRow) => fold([namespace, name, provider].join('\u0001'))

/** What the directory promises, written the slow and obvious way. */
function reference(rows: readonly ModuleRow[], query: string, keep: (row: ModuleRow) => boolean) {
  const terms = [
    ...new Set(
      fold(query)
        .split(/\s+/)
        .filter((term) => /[\p{L}\p{N}]/u.test(term)),
    ),
  ]
  const wordsOf = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const meeting = (value: string, term: string, isDescription: boolean) => {
    if (value === term && !isDescription) return 'whole'
    const [pieces, words] = [wordsOf(term), wordsOf(value)]
    const last = pieces.length - 1
    const starts = words.map((_, at) => at).filter((at) => at + last < words.length)
    if (starts.some((at) => pieces.every((piece, index) => words[at + index] === piece))) return 'word'
    const fits = (word: string, piece: string, index: number) => {
      if (last === 0) return word.includes(piece)
      if (index === 0) return word.endsWith(piece)
      return index === last ? word.startsWith(piece) : word === piece
    }
    const partly = starts.some((at) =>
      pieces.every((piece, index) => fits(words[at + index] ?? '', piece, index)),
    )
    return partly ? 'part' : undefined
  }
  const earned = (found: ModuleRow, term: string) => {
    let most = 0
    for (const [text, points] of Object.entries(searchPoints)) {
      const value = fold(String(found[text as keyof typeof searchPoints] ?? ''))
      const met = meeting(value, term, text === 'description')
      if (met) most = Math.max(most, points[met])
    }
    return most
  }
  return rows
    .filter(keep)
    .map((found) => ({ found, points: terms.map((term) => earned(found, term)) }))
    .filter(({ points }) => points.length > 0 && points.every((each) => each > 0))
    .map(({ found, points }) => ({ found, sum: points.reduce((a, b) => a + b, 0) }))
    .sort(
      (a, b) =>
        b.sum - a.sum ||
        Number(b.found.verified) - Number(a.found.verified) ||
        b.found.downloads - a.found.downloads ||
        (keyOf(a.found) < keyOf(b.found) ? -1 : 1),
    )
    .map(({ found }) => found)
}

describe('a list of modules', () => {
  it('is ordered by namespace, name and provider, part by part', () => {
    const directory = filled({ name: 'a-b' }, { name: 'a' }, { name: 'a', provider: 'azure' }, { name: 'A0' })
    expect(directory.list({}, 0, 10).rows.map(({ name, provider }) => `${name}/${provider}`)).toEqual([
      'a/aws',
      'a/azure',
      'a-b/aws',
      'A0/aws',
    ])
  })

  it('is limited by namespace, provider and verified at once', () => {
    const directory = filled(
      { name: 'a', verified: true },
      { name: 'b' },
      { name: 'c', provider: 'google', verified: true },
      { namespace: 'beta', verified: true },
    )
    expect(names(directory.list({ namespace: 'ACME', provider: 'aws', verified: true }, 0, 10).rows)).toEqual(
      ['a'],
    )
    expect(directory.list({ verified: true }, 0, 1)).toMatchObject({ total: 3 })
  })

  it('shows a reader only the namespaces that reader may see, at any offset', () => {
    const directory = filled(
      { namespace: 'a', name: 'x' },
      { namespace: 'b', name: 'y' },
      { namespace: 'c', name: 'z' },
      { namespace: 'c', name: 'zz' },
    )
    expect(names(directory.list({ visible: ['C', 'a'] }, 0, 10).rows)).toEqual(['x', 'z', 'zz'])
    expect(directory.list({ visible: ['c', 'a'] }, 2, 1)).toMatchObject({ total: 3, rows: [{ name: 'zz' }] })
    expect(directory.list({ visible: ['c'], namespace: 'a' }, 0, 9).total).toBe(0)
    expect(names(directory.search('y', { visible: ['a'] }, 0, 9).rows)).toEqual([])
  })

  it('equals a filtered sort after any sequence of changes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('put', 'put', 'put', 'remove'), rowArbitrary), { maxLength: 40 }),
        fc.record({
          namespace: fc.option(fc.constantFrom('ACME', 'beta'), { nil: undefined }),
          provider: fc.option(fc.constant('aws'), { nil: undefined }),
          verified: fc.boolean(),
        }),
        fc.nat(6),
        fc.integer({ min: 1, max: 6 }),
        (changes, filter, offset, limit) => {
          const directory = moduleDirectory()
          const expected = new Map<string, ModuleRow>()
          for (const [verb, change] of changes) {
            const changed = row(change)
            if (verb === 'put') {
              directory.put(changed)
              expected.set(keyOf(changed), changed)
            } else {
              directory.remove(changed)
              expected.delete(keyOf(changed))
            }
          }
          const keep = (each: ModuleRow) =>
            (!filter.verified || each.verified) &&
            (filter.provider === undefined || each.provider === filter.provider) &&
            (filter.namespace === undefined || fold(each.namespace) === fold(filter.namespace))
          const rows = [...expected.entries()]
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([, each]) => each)
            .filter(keep)
          expect(directory.list(filter, offset, limit)).toEqual({
            rows: rows.slice(offset, offset + limit),
            total: rows.length,
          })
          for (const query of [
            'net',
            'a',
            'net-db',
            'ada net',
            'VPC',
            'grün',
            'acme vpc aws',
            'net_db',
            '-',
            '',
          ]) {
            const found = reference([...expected.values()], query, keep)
            expect(directory.search(query, filter, offset, limit)).toEqual({
              rows: found.slice(offset, offset + limit),
              total: found.length,
            })
          }
        },
      ),
      { numRuns: 150 },
    )
  })
})

describe('a search', () => {
  it('finds a term anywhere inside name, namespace, provider, owner or description', () => {
    const directory = filled(
      { name: 'subnetwork' },
      { name: 'x', description: 'Two networks' },
      { name: 'y', owner: 'networkers' },
      { name: 'z' },
    )
    expect(names(directory.search('NETWORK', {}, 0, 10).rows)).toEqual(['subnetwork', 'y', 'x'])
  })

  it('takes any separator for any other inside a term', () => {
    const directory = filled(
      { name: 'private-vpc' },
      { name: 'b', description: 'A private VPC' },
      { name: 'vpc', owner: 'private' },
    )
    for (const text of ['private-vpc', 'private_vpc', 'private.vpc', 'ivate-vp', '-private-vpc/'])
      expect(names(directory.search(text, {}, 0, 10).rows)).toEqual(['private-vpc', 'b'])
    expect(names(directory.search('private vpc', {}, 0, 10).rows)).toHaveLength(3)
    expect(names(directory.search('rivate-pc', {}, 0, 10).rows)).toEqual([])
  })

  it.each([0, 1])(
    'finds any word and any phrase of a long description, the words of parity %i being common',
    (odd) => {
      const words = Array.from({ length: 60 }, (_, index) => `w${index + 10}x`)
      // Every other word is more common than its neighbours: the rarer one is looked up first.
      const common = words.filter((_, index) => index % 2 === odd)
      const directory = filled({ description: words.join(' ') }, { name: 'b', description: common.join(' ') })
      const found = (text: string) => names(directory.search(text, {}, 0, 9).rows)
      for (const [at, word] of words.entries()) {
        expect(found(word)).toContain('vpc')
        const [next, later] = [words[at + 1], words[at + 2]]
        if (next === undefined || later === undefined) continue
        for (const phrase of [
          `${word}-${next}`,
          `${word}-${next}-${later}`,
          `${word.slice(1)}-${next.slice(0, -1)}`,
        ])
          expect(found(phrase)).toEqual(['vpc'])
        for (const phrase of [`${next}-${word}`, `${word}-${later}-${next}`])
          expect(found(phrase)).toEqual([])
        expect(found(`${word}-${later}`)).toEqual(at % 2 === odd ? ['b'] : [])
      }
    },
  )

  it('wants every term somewhere', () => {
    const directory = filled({ name: 'vpc', description: 'private' }, { name: 'vpc2' })
    expect(names(directory.search('vpc priv', {}, 0, 10).rows)).toEqual(['vpc'])
  })

  it('puts whole names before words of names before parts of names before descriptions', () => {
    const directory = filled(
      { name: 'a', description: 'consul' },
      { name: 'myconsul' },
      { name: 'consul-esm' },
      { name: 'consul' },
    )
    expect(names(directory.search('consul', {}, 0, 10).rows)).toEqual([
      'consul',
      'consul-esm',
      'myconsul',
      'a',
    ])
  })

  it('puts partner modules first among equals, then the more downloaded', () => {
    const directory = filled(
      { name: 'db1', downloads: 5 },
      { name: 'db2', downloads: 9 },
      { name: 'db3', verified: true },
    )
    expect(names(directory.search('db', {}, 0, 10).rows)).toEqual(['db3', 'db2', 'db1'])
    directory.put(row({ name: 'db1', downloads: 10 }))
    expect(names(directory.search('db', {}, 0, 10).rows)).toEqual(['db3', 'db1', 'db2'])
  })

  it('forgets what a module used to say', () => {
    const directory = filled({ description: 'apples' })
    directory.put(row({ description: 'pears' }))
    expect(directory.search('apples', {}, 0, 10).total).toBe(0)
    expect(directory.search('pears', {}, 0, 10).total).toBe(1)
  })

  it('survives the rebuilding of its index after thousands of edits', () => {
    const random = seededRandom(5)
    const directory = moduleDirectory()
    for (let turn = 0; turn < 6000; turn += 1)
      directory.put(
        row({ name: `m${Math.floor(random() * 40)}`, description: `text${turn}`, downloads: turn % 7 }),
      )
    expect(directory.search('text', {}, all.offset, all.limit).total).toBe(40)
    expect(directory.search('text5999', {}, 0, 10).total).toBe(1)
  })
})
