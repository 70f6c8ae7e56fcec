import { patternOf } from './patterns.ts'

/**
 * Finds every pattern with `+` segments that matches a path; the work depends on the path's segments, not on
 * how many patterns there are.
 */
export interface SegmentIndex<T> {
  /** Calls `found` with the value of each pattern that matches, in no order to rely on. */
  readonly visit: (path: string, found: (value: T) => void) => void
}

interface Node<T> {
  readonly children: Map<string, Node<T>>
  /** Patterns that end here. */
  value: T | undefined
  /** Patterns whose last segment is a beginning: `+/web*`. */
  readonly open: { readonly start: string; readonly value: T }[]
}

const newNode = <T>(): Node<T> => ({ children: new Map(), value: undefined, open: [] })

/** Builds the index of a map from pattern to value, in steps. */
export function* segmentIndex<T>(values: ReadonlyMap<string, T>): Generator<undefined, SegmentIndex<T>> {
  const root = newNode<T>()
  for (const [text, value] of values) {
    const { stem, endsOpen } = patternOf(text)
    const segments = stem.split('/')
    const last = endsOpen ? segments.pop() : undefined
    let node = root
    for (const segment of segments) {
      const next = node.children.get(segment) ?? newNode<T>()
      node.children.set(segment, next)
      node = next
    }
    if (last === undefined) node.value = value
    else node.open.push({ start: last, value })
    yield
  }
  if (values.size === 0) return { visit: () => {} }

  return {
    visit: (path, found) => {
      const segments = path.split('/')
      let nodes = [root]
      for (const segment of segments) {
        const next: Node<T>[] = []
        for (const { open, children } of nodes) {
          for (const { start, value } of open) if (segment.startsWith(start)) found(value)
          const exact = children.get(segment)
          if (exact) next.push(exact)
          const any = segment === '+' ? undefined : children.get('+')
          if (any) next.push(any)
        }
        if (next.length === 0) return
        nodes = next
      }
      for (const { value } of nodes) if (value !== undefined) found(value)
    },
  }
}
