import { ownValue } from '../../kernel/objects.ts'
import type { NodeRecord } from '../nodes/model.ts'

/** Reads one attribute for a constraint; `undefined` if it is missing. */
export type Lookup = (name: string) => string | undefined

/** The values of a node that texts may refer to: `${attr.kernel.name}`, `${meta.rack}`, `${node.class}`. */
export const nodeLookup =
  (node: NodeRecord): Lookup =>
  (name) => {
    if (name.startsWith('attr.')) return ownValue(node.Attributes, name.slice('attr.'.length))
    if (name.startsWith('meta.')) return ownValue(node.Meta ?? {}, name.slice('meta.'.length))
    return Object.hasOwn(fields, name) ? fields[name]?.(node) : undefined
  }

const fields: Readonly<Record<string, (node: NodeRecord) => string>> = {
  'node.unique.id': (node) => node.ID,
  'node.unique.name': (node) => node.Name,
  'node.datacenter': (node) => node.Datacenter,
  'node.class': (node) => node.NodeClass,
  'node.pool': (node) => node.NodePool,
}

/** A text with `${name}` placeholders. */
export interface Interpolated {
  /** The text itself if it has no placeholder. */
  readonly constant: string | undefined
  /** The text with its values; `undefined` where one of them is missing. */
  readonly in: (lookup: Lookup) => string | undefined
}

/** Parses a text once, so that it can be resolved for many nodes. */
export function interpolated(text: string): Interpolated {
  if (!text.includes('${')) return { constant: text, in: () => text }
  const [first = '', ...rest] = text.split('${')
  const parts: (readonly [name: string, after: string])[] = []
  for (const piece of rest) {
    const end = piece.indexOf('}')
    // An unclosed placeholder matches no attribute.
    if (end < 0) return { constant: undefined, in: () => undefined }
    parts.push([piece.slice(0, end), piece.slice(end + 1)])
  }
  const [only] = parts
  if (parts.length === 1 && first === '' && only?.[1] === '') {
    const [name] = only
    return { constant: undefined, in: (lookup) => lookup(name) }
  }
  return {
    constant: undefined,
    in: (lookup) => {
      let resolved = first
      for (const [name, after] of parts) {
        const value = lookup(name)
        if (value === undefined) return undefined
        resolved += value + after
      }
      return resolved
    },
  }
}
