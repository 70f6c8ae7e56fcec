import type { Refused } from '../kernel/index.ts'
import type { Body, Entry, Key, Position, Value } from './ast.ts'
import { problemAt } from './read.ts'

/**
 * A block with the requested number of labels.
 */
export interface Block {
  readonly labels: readonly Key[]
  readonly body: Body
  readonly at: Position
}

/**
 * The blocks of one type, in the order of the text, in any form: `path "a" { … }`, `path = { a = { … } }`, or in JSON
 * `"path": { "a": { … } }` and `"path": [{ "a": { … } }]`.
 *
 * @param labels - the number of labels of such a block
 * @returns the blocks, or `hcl_syntax` if one has too few or too many labels
 */
export function blocksOf(
  body: Body,
  type: string,
  labels: number,
): { readonly ok: true; readonly value: readonly Block[] } | Refused<'hcl_syntax'> {
  const blocks: Block[] = []
  for (const entry of body.entries) {
    const [first, ...rest] = entry.keys
    if (first === undefined || first.text !== type) continue
    const problem = unfold(entry.value, rest, labels, entry.at, type, blocks)
    if (problem) return problem
  }
  return { ok: true, value: blocks }
}

/** Converts nested objects into labels until a block has all of its labels. */
function unfold(
  value: Value,
  given: readonly Key[],
  labels: number,
  at: Position,
  type: string,
  blocks: Block[],
): Refused<'hcl_syntax'> | undefined {
  if (value.kind === 'list') {
    for (const item of value.items) {
      const problem = unfold(item, given, labels, item.at, type, blocks)
      if (problem) return problem
    }
    return undefined
  }
  if (value.kind !== 'object') return problemAt(value.at, `"${type}" is a block: expected braces`)
  if (given.length > labels) return problemAt(at, `"${type}" has ${count(labels)}, not ${given.length}`)
  if (given.length === labels) {
    blocks.push({ labels: given, body: value, at })
    return undefined
  }
  for (const entry of value.entries) {
    const isField = entry.value.kind !== 'object' && entry.value.kind !== 'list'
    if (isField)
      return problemAt(at, `"${type}" has ${count(labels)}, not ${given.length}: ${type} "…" { … }`)
    const problem = unfold(entry.value, [...given, ...entry.keys], labels, entry.at, type, blocks)
    if (problem) return problem
  }
  return undefined
}

const count = (labels: number) => (labels === 1 ? '1 label' : `${labels} labels`)

/**
 * Refuses the first entry with an unknown name, and lists the known ones.
 */
export function unknownName(body: Body, known: readonly string[]): Refused<'hcl_syntax'> | undefined {
  const entry = body.entries.find(({ keys: [first] }) => first !== undefined && !known.includes(first.text))
  const name = nameOf(entry)
  if (entry === undefined || name === undefined) return undefined
  return problemAt(entry.at, `unknown name "${name}"; known are ${known.join(', ')}`, { name })
}

const nameOf = (entry: Entry | undefined): string | undefined => entry?.keys[0]?.text
