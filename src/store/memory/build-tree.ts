import { BNode, BNodeInternal } from 'sorted-btree'
import type { Entry } from '../port/port.ts'
import { emptyTree, nodeSize, orderWith, setEntry, type Tree } from './tree.ts'

/** The library exports the classes of its nodes, and does not declare them. */
declare module 'sorted-btree' {
  interface TreeNode {
    size(): number
  }
  const BNode: new (keys: string[], values: Entry[]) => TreeNode
  const BNodeInternal: new (children: TreeNode[], size: number) => TreeNode
}
type TreeNode = InstanceType<typeof BNode>

/** A tree that is being built. */
interface Building {
  add(entry: Entry): void
  /** Returns the tree; nothing is added after that. */
  finish(): Tree
}

/**
 * Builds a tree of entries in ascending order, node by node, which takes a tenth of the time of setting each. Entries in
 * any other order are set at the end.
 */
export function buildTree(): Building {
  const tree = emptyTree()
  const leaves: TreeNode[] = []
  const others: Entry[] = []
  let last: string | undefined
  let keys: string[] = []
  let entries: Entry[] = []
  const endLeaf = () => {
    // Copies are as small as possible: these arrays have grown.
    if (keys.length > 0) leaves.push(new BNode(keys.slice(), entries.slice()))
    keys = []
    entries = []
  }
  return {
    add: (entry) => {
      const { key } = entry
      orderWith(tree, key)
      if (last !== undefined && tree._compare(last, key) >= 0) {
        others.push(entry)
        return
      }
      last = key
      keys.push(key)
      entries.push(entry)
      if (keys.length === nodeSize) endLeaf()
    },
    finish: () => {
      endLeaf()
      const root = rootOf(leaves)
      if (root !== undefined) Reflect.set(tree, '_root', root)
      for (const entry of others) setEntry(tree, entry)
      return tree
    },
  }
}

/** Nodes above the leaves, up to the root. */
function rootOf(leaves: readonly TreeNode[]): TreeNode | undefined {
  let level = leaves
  while (level.length > 1) {
    const above: TreeNode[] = []
    for (let at = 0; at < level.length; at += nodeSize) {
      const children = level.slice(at, at + nodeSize)
      above.push(
        new BNodeInternal(
          children,
          children.reduce((sum, child) => sum + child.size(), 0),
        ),
      )
    }
    level = above
  }
  return level[0]
}
