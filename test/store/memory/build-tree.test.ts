import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareKeys, type Entry } from '../../../src/store/index.ts'
import { buildTree } from '../../../src/store/memory/build-tree.ts'
import { emptyTree, scanTree, setEntry, type Tree } from '../../../src/store/memory/tree.ts'

const entry = (key: string): Entry => ({ key, value: null, created: 1, modified: 1 })
const keysOf = (tree: Tree) => scanTree(tree, { prefix: '' }).map(({ key }) => key)
const built = (keys: readonly string[]): Tree => {
  const building = buildTree()
  for (const key of keys) building.add(entry(key))
  return building.finish()
}
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `job/${1_000_000 + at}`)

describe('a tree that is built of sorted entries', () => {
  it.each([0, 1, 63, 64, 65, 64 * 64, 64 * 64 + 1, 300_000])(
    'holds %i entries in valid nodes, and finds each',
    (count) => {
      const keys = numbered(count)
      const tree = built(keys)
      tree.checkValid(true)
      expect(tree.size).toBe(count)
      expect(keysOf(tree)).toEqual(keys)
      expect(keys.filter((key) => tree.get(key)?.key !== key)).toEqual([])
    },
  )

  it('equals the tree made by setting each entry, in any order, and can be written to like it', () => {
    const key = fc.string({
      unit: fc.constantFrom('a', 'b', '\u{1f600}', '\uffee'),
      minLength: 1,
      maxLength: 4,
    })
    const edits = fc.array(fc.record({ key, isDeleted: fc.constantFrom(true, false) }), { maxLength: 300 })
    fc.assert(
      fc.property(
        fc.array(key, { maxLength: 300 }),
        edits,
        fc.constantFrom(true, false),
        (keys, later, isSorted) => {
          const given = isSorted ? [...keys].sort(compareKeys) : keys
          const set = emptyTree()
          for (const each of given) setEntry(set, entry(each))
          const tree = built(given)
          tree.checkValid(true)
          expect(keysOf(tree)).toEqual(keysOf(set))
          const before = tree.clone()
          for (const { key, isDeleted } of later) {
            for (const each of [set, tree]) isDeleted ? each.delete(key) : setEntry(each, entry(key))
          }
          tree.checkValid(true)
          expect(keysOf(tree)).toEqual(keysOf(set))
          expect(keysOf(before)).toEqual([...new Set(given)].sort(compareKeys))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('takes new entries anywhere between those it was built of', () => {
    const keys = numbered(20_000)
    const tree = built(keys.filter((_, at) => at % 2 === 0))
    for (const key of keys.filter((_, at) => at % 2 === 1)) setEntry(tree, entry(key))
    tree.checkValid(true)
    expect(keysOf(tree)).toEqual(keys)
    for (const key of keys.filter((_, at) => at % 3 > 0)) tree.delete(key)
    tree.checkValid(true)
    expect(keysOf(tree)).toEqual(keys.filter((_, at) => at % 3 === 0))
  })
})
