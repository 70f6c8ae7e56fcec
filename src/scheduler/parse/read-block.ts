import {
  type Body,
  blocksOf,
  type Entry,
  type Plain,
  problemAt,
  toPlain,
  unknownName,
  type Value,
} from '../../hcl/index.ts'
import { parseDuration, type Refused } from '../../kernel/index.ts'
import { isObject, ownValue } from '../../kernel/objects.ts'
import { pascalCase } from './pascal-case.ts'
import { constraint, network, type Shape } from './shapes.ts'

/** Stops parsing with a refusal. */
export class Unreadable extends Error {
  readonly refused: Refused<'hcl_syntax'>

  constructor(refused: Refused<'hcl_syntax'>) {
    super(refused.refusal.message)
    this.refused = refused
  }
}

/** The contents of a block, with the JSON names of jobs. */
export type Fields = { [name: string]: Plain }

/** Reads a block of the given shape; names that the shape does not have are refused. */
export function readBlock(body: Body, shape: Shape): Fields {
  const { fields, one = {}, many = {}, named = {} } = shape
  const present = entriesByName(body)
  const shapes = [fields, one, many, named]
  if ([...present.keys()].some((name) => !shapes.some((names) => Object.hasOwn(names, name)))) {
    const stray = unknownName(body, shapes.flatMap(Object.keys).sort())
    if (stray) throw new Unreadable(stray)
  }
  const found: Fields = {}
  for (const [name, [as, kind]] of Object.entries(fields)) {
    const value = readField(name, kind, present.get(name) ?? [])
    if (value !== undefined) found[as] = value
  }
  for (const [name, [as, inner]] of Object.entries(one)) {
    if (!present.has(name)) continue
    const [block, second] = blocks(body, name, 0)
    if (second !== undefined) throw new Unreadable(problemAt(second.at, `"${name}" is given twice`))
    if (block !== undefined) found[as] = read(block.body, inner)
  }
  for (const [name, [as, inner]] of Object.entries(many)) {
    if (!present.has(name)) continue
    const all = blocks(body, name, 0).map((block) => read(block.body, inner))
    if (all.length > 0) found[as] = all
  }
  for (const [name, [as, inner, label, known]] of Object.entries(named)) {
    if (!present.has(name)) continue
    const seen = new Set<string>()
    const all = blocks(body, name, 1).map((block) => {
      const called = labelOf(block, name, known)
      if (known !== undefined && seen.has(called))
        throw new Unreadable(problemAt(block.at, `"${name}" is given twice with this name`))
      seen.add(called)
      const inside = read(block.body, inner)
      const own = inside[label] ?? called
      if (own !== called) throw new Unreadable(problemAt(block.at, `the type of this "${name}" is ${called}`))
      return { ...inside, [label]: called }
    })
    if (all.length > 0) found[as] = all
  }
  return found
}

/** Files have thousands of blocks with a few of the many names of their shape: the others are not looked for. */
function entriesByName(body: Body): ReadonlyMap<string, readonly Entry[]> {
  const byName = new Map<string, Entry[]>()
  for (const entry of body.entries) {
    const name = entry.keys[0]?.text
    const others = name === undefined ? undefined : byName.get(name)
    if (others !== undefined) others.push(entry)
    else if (name !== undefined) byName.set(name, [entry])
  }
  return byName
}

function read(body: Body, shape: Shape): Fields {
  const fields = readBlock(body, shape)
  if (shape === constraint) return conditionOf(fields)
  return shape === network ? networkOf(fields) : fields
}

function labelOf(
  { labels, at }: ReturnType<typeof blocks>[number],
  name: string,
  known: Readonly<Record<string, string>> | undefined,
): string {
  const text = labels[0]?.text ?? ''
  if (known === undefined) return text
  const folded = text.toLowerCase()
  const found = ownValue(known, folded)
  if (found === undefined)
    throw new Unreadable(problemAt(at, `the name of a "${name}" is ${Object.keys(known).join(' or ')}`))
  return found
}

function blocks(body: Body, name: string, labels: number) {
  const unnamed = body.entries.find(
    ({ keys, assigned }) => labels > 0 && keys[0]?.text === name && keys.length === 1 && !assigned,
  )
  if (unnamed) throw new Unreadable(problemAt(unnamed.at, `"${name}" needs a name: ${name} "…" { … }`))
  const found = blocksOf(body, name, labels)
  if (!found.ok) throw new Unreadable(found)
  return found.value
}

function readField(
  name: string,
  kind: Shape['fields'][string][1],
  entries: readonly Entry[],
): Plain | undefined {
  const [first] = entries
  if (first === undefined) return undefined
  const { value, at } = first
  if (kind === 'map' || kind === 'texts') {
    for (const entry of entries)
      if (entry.value.kind !== 'object' || entry.keys.length > 1)
        throw new Unreadable(problemAt(entry.at, `"${name}" is a block or a map`))
    // Blocks that say more about the same thing are one.
    const map = toPlain({ kind: 'object', entries, at })[name]
    return kind === 'map' || map === undefined ? map : textsOf(map)
  }
  const [, second] = entries
  if (second !== undefined) throw new Unreadable(problemAt(second.at, `"${name}" is given twice`))
  if (kind === 'kept') return pascalCased(toPlain(value))
  if (!first.assigned) throw new Unreadable(problemAt(at, `"${name}" is not a block: write ${name} = …`))
  if (kind === 'duration') return nanosecondsOf(name, value)
  return kind === 'literal' ? literalOf(toPlain(value)) : toPlain(value)
}

/** What the text of a number or a boolean stands for, as the language has it where one of them is expected. */
const literalOf = (value: Plain): Plain => {
  if (typeof value !== 'string') return value
  if (value === 'true' || value === 'false') return value === 'true'
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value
}

/** A block with the JSON spelling of its names. */
const pascalCased = (value: Plain): Plain => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: Plain) => pascalCased(each))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [pascalCase(name), pascalCased(each)]),
  )
}

const textsOf = (map: Plain): Plain =>
  isObject(map)
    ? Object.fromEntries(
        Object.entries(map).map(([key, value]) => [
          key,
          typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
        ]),
      )
    : map

function nanosecondsOf(name: string, value: Value): number {
  const ms = value.kind === 'string' ? parseDuration(value.value) : undefined
  if (ms === undefined)
    throw new Unreadable(problemAt(value.at, `"${name}" is a duration in quotes, such as "30s" or "5m"`))
  return Math.round(ms * 1e6)
}

/** Conditions that name their operator: `distinct_hosts = true`, `regexp = "^a"`. */
const operators = ['version', 'semver', 'regexp', 'set_contains', 'set_contains_any'] as const

function conditionOf(fields: Fields): Fields {
  const { LTarget, RTarget, Operand, Weight } = fields
  const condition: Fields = {}
  for (const [name, value] of Object.entries({ LTarget, RTarget, Operand, Weight }))
    if (value !== undefined)
      condition[name] = name === 'RTarget' && typeof value !== 'string' ? String(value) : value
  for (const name of operators) {
    const value = fields[name]
    if (value !== undefined) Object.assign(condition, { Operand: name, RTarget: value })
  }
  const { distinct_hosts: hosts, distinct_property: property } = fields
  if (hosts !== undefined) Object.assign(condition, { Operand: 'distinct_hosts', RTarget: String(hosts) })
  if (property !== undefined) Object.assign(condition, { Operand: 'distinct_property', LTarget: property })
  return condition
}

/** Ports with a fixed number are reserved; the others are dynamic, whichever block they stand in. */
function networkOf({ Ports = [], ReservedPorts = [], ...fields }: Fields): Fields {
  const ports = [ReservedPorts, Ports].flat() as readonly Fields[]
  const isFixed = ({ Value: number = 0 }: Fields) => number !== 0
  const reserved = ports.filter(isFixed)
  const dynamic = ports.filter((each) => !isFixed(each))
  return {
    ...fields,
    ...(reserved.length > 0 ? { ReservedPorts: reserved } : {}),
    ...(dynamic.length > 0 ? { DynamicPorts: dynamic } : {}),
  }
}
