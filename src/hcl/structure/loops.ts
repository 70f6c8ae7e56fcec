import type { Constant, Evaluate, Scope } from './model.ts'
import type { Scanner } from './scanner.ts'

/** Reads an expression, which ends where no operator follows. */
export type ReadExpression = (scanner: Scanner, lines: boolean) => Evaluate

/** What a `for` goes through, and the names that it gives to each item. */
export interface Loop {
  readonly collection: Evaluate
  /** The name of the index or key; empty if it has none. */
  readonly key: string
  readonly item: string
  readonly at: number
}

const forAhead = /for(?=\s+[\p{ID_Start}_][\p{ID_Continue}-]*(?:\s*,|\s+in\s))/uy
const inAhead = /in(?![\p{ID_Continue}-])/uy
const ifAhead = /if(?![\p{ID_Continue}-])/uy

/** Reads `for NAME in …` or `for KEY, NAME in …`, to the end of the collection; `undefined` if it is none. */
export function loopHead(scanner: Scanner, read: ReadExpression): Loop | undefined {
  const { at } = scanner
  return scanner.skip(forAhead) ? loopNames(scanner, at, read) : undefined
}

/** Reads what follows a `for`, to the end of the collection. */
export function loopNames(scanner: Scanner, at: number, read: ReadExpression): Loop {
  const name = (): string => {
    scanner.skipSpace({ lines: true })
    return scanner.name() ?? scanner.fail('expected a name after "for"')
  }
  let [key, item] = ['', name()]
  scanner.skipSpace({ lines: true })
  if (scanner.has(',')) [key, item] = [item, name()]
  scanner.skipSpace({ lines: true })
  if (!scanner.skip(inAhead)) scanner.fail('expected "in" and a list or an object')
  return { collection: scanner.within(() => read(scanner, true)), key, item, at }
}

/** What one turn of a loop costs beside its text. */
const turn = 16

/**
 * The scopes of the items of a collection, one after the other; each turn costs its length.
 *
 * @param shown - what the name of the item stands for; the item itself by default
 */
export function* turns(
  loop: Loop,
  scope: Scope,
  length: number,
  shown: (key: Constant, item: Constant) => Constant = (_, item) => item,
): Generator<Scope> {
  const { collection, at } = loop
  const found = collection(scope)
  if (typeof found !== 'object' || found === null) return scope.fail('"for" needs a list or an object', at)
  const pairs: readonly (readonly [Constant, Constant])[] = Array.isArray(found)
    ? found.map((value: Constant, index) => [index, value] as const)
    : Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [key, item] of pairs) {
    scope.spend(length + turn, at)
    yield withNames(
      scope,
      new Map([...(loop.key === '' ? [] : [[loop.key, key] as const]), [loop.item, shown(key, item)]]),
    )
  }
}

const nameBegun = /(?<![\w.-])[\p{ID_Start}_][\p{ID_Continue}-]*/gu
const namesIn = (text: string): readonly string[] => text.match(nameBegun) ?? []

/** A scope in which some names have values, in front of its own. */
export function withNames(scope: Scope, names: ReadonlyMap<string, Constant>): Scope {
  return {
    ...scope,
    keeps: (text) => !namesIn(text).some((name) => names.has(name)) && scope.keeps(text),
    valueOf: (name, member, at) => {
      const value = names.get(name)
      if (value === undefined) return scope.valueOf(name, member, at)
      return scope.made(member === undefined ? value : memberOf(value, member, scope, at), at)
    },
  }
}

/** A member of an object, or an item of a list. */
export function memberOf(value: Constant, name: Constant, scope: Scope, at: number): Constant {
  const found =
    typeof value === 'object' && value !== null && (typeof name === 'string' || typeof name === 'number')
      ? Object.getOwnPropertyDescriptor(value, name)?.value
      : undefined
  return found === undefined || (Array.isArray(value) && name === 'length')
    ? scope.fail(`there is no ${JSON.stringify(name)} in this value`, at)
    : found
}

/** Reads `if …`, if it is there: the items that a loop leaves out. */
function filterOf(scanner: Scanner, read: ReadExpression): Evaluate | undefined {
  scanner.skipSpace({ lines: true })
  return scanner.skip(ifAhead) ? scanner.within(() => read(scanner, true)) : undefined
}

const passes = (filter: Evaluate | undefined, scope: Scope, at: number): boolean => {
  const found = filter === undefined || filter(scope)
  return typeof found === 'boolean' ? found : scope.fail('a condition is true or false', at)
}

/** Reads `for … : VALUE if …]` in brackets, whose first one is read. */
export function listOfLoop(scanner: Scanner, loop: Loop, read: ReadExpression): Evaluate {
  expect(scanner, ':', 'and the value of each item')
  const value = read(scanner, true)
  const filter = filterOf(scanner, read)
  expect(scanner, ']')
  const length = scanner.at - loop.at
  return (scope) => {
    const made: Constant[] = []
    for (const each of turns(loop, scope, length)) if (passes(filter, each, loop.at)) made.push(value(each))
    return scope.made(made, loop.at)
  }
}

/** Reads `for … : KEY => VALUE if …}` in braces, whose first one is read; with `...` values of one key are a list. */
export function objectOfLoop(scanner: Scanner, loop: Loop, read: ReadExpression): Evaluate {
  expect(scanner, ':', 'and the key of each item')
  const key = read(scanner, true)
  expect(scanner, '=>', 'and the value of each item')
  const value = read(scanner, true)
  scanner.skipSpace({ lines: true })
  const groups = scanner.has('...')
  const filter = filterOf(scanner, read)
  expect(scanner, '}')
  const length = scanner.at - loop.at
  return (scope) => {
    const made = new Map<string, Constant[]>()
    for (const each of turns(loop, scope, length)) {
      if (!passes(filter, each, loop.at)) continue
      const found = key(each)
      if (typeof found === 'object') return scope.fail('a key is a string', loop.at)
      const name = String(found)
      const before = made.get(name)
      if (before === undefined) made.set(name, [value(each)])
      else if (groups) before.push(value(each))
      else
        scope.fail(
          `two items have the key ${JSON.stringify(name)}; "..." after the value makes lists of them`,
          loop.at,
        )
    }
    const entries = [...made].map(([name, values]) => [name, groups ? values : (values[0] ?? null)] as const)
    return scope.made(Object.fromEntries(entries), loop.at)
  }
}

function expect(scanner: Scanner, sign: string, more = ''): void {
  scanner.skipSpace({ lines: true })
  if (!scanner.has(sign)) scanner.fail(`expected "${sign}"${more === '' ? '' : ` ${more}`}`)
}
