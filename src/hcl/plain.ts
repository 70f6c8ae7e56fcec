import { isObject } from '../kernel/objects.ts'
import type { Body, Entry, Key, Position, Value } from './ast.ts'

/**
 * A plain value; objects have no prototype.
 */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [name: string]: Plain }

/**
 * Converts a value into plain data, for a schema to check. A block's labels become levels of objects (`listener "tcp" {
 * … }` is `{ listener: { tcp: … } }`), and repeated blocks are merged; if they should not be, extract them with
 * `blocksOf` first.
 */
export function toPlain(value: Body): { readonly [name: string]: Plain }
export function toPlain(value: Value): Plain
export function toPlain(value: Value): Plain {
  if (value.kind === 'list') return value.items.map((item) => toPlain(item))
  return value.kind === 'object' ? plainObject(value) : value.value
}

type Level = { [name: string]: Plain }

function plainObject(body: Body): Level {
  const result: Level = Object.create(null)
  for (const entry of body.entries) {
    const [last, ...outer] = [...entry.keys].reverse()
    if (last === undefined) continue
    let level = result
    for (const { text } of outer.reverse()) level = levelAt(level, text)
    const value = toPlain(entry.value)
    const before = level[last.text]
    level[last.text] = isObject(before) && isObject(value) ? merged(before, value) : value
  }
  return result
}

function levelAt(level: Level, name: string): Level {
  const found = level[name]
  if (isObject(found)) return found
  const made: Level = Object.create(null)
  level[name] = made
  return made
}

function merged(into: Level, more: Level): Level {
  for (const name of Object.keys(more)) {
    const [before, value] = [into[name], more[name]]
    if (value !== undefined) into[name] = isObject(before) && isObject(value) ? merged(before, value) : value
  }
  return into
}

/**
 * The position in the text of the value at a path of {@link toPlain}'s result, or of the nearest enclosing value:
 * errors use it to name a line.
 *
 * @param path - names and list indexes, as in an issue of a schema
 */
export function positionOf(body: Body, path: readonly PropertyKey[]): Position {
  let candidates: readonly { readonly keys: readonly Key[]; readonly entry: Entry }[] = open(body)
  let at = body.at
  let list: Value | undefined
  for (const step of path) {
    if (list?.kind === 'list') {
      const item: Value | undefined = list.items[Number(step)]
      if (item === undefined) return at
      at = item.at
      list = item
      candidates = item.kind === 'object' ? open(item) : []
      continue
    }
    const matching = candidates.filter(({ keys }) => keys[0]?.text === String(step))
    const last = matching.at(-1)
    if (last === undefined) return at
    at = last.keys[0]?.at ?? at
    list = last.keys.length === 1 ? last.entry.value : undefined
    candidates = matching.flatMap(({ keys, entry }) => {
      if (keys.length > 1) return [{ keys: keys.slice(1), entry }]
      return entry.value.kind === 'object' ? open(entry.value) : []
    })
  }
  return at
}

const open = (body: Body) => body.entries.map((entry) => ({ keys: entry.keys, entry }))
