import { type Body, type Entry, type Key, type Position, problemAt, type Value } from '../../hcl/index.ts'
import {
  type Constant,
  deepest,
  type Evaluate,
  expression,
  type Loop,
  Scanner,
  type Scope,
  turns,
  Unreadable,
} from '../../hcl/structure/index.ts'
import type { Refused } from '../../kernel/index.ts'
import { nearest } from '../../kernel/nearest.ts'
import { effortOf, functions, WrongArguments } from './functions.ts'

/** An item of a file before its expressions are evaluated. */
interface Item {
  readonly keys: readonly { readonly text: string; readonly at: number }[]
  readonly value:
    | { readonly evaluate: Evaluate; readonly text: string; readonly at: number }
    | readonly Item[]
}

type Evaluated = { readonly ok: true; readonly value: Body } | Refused<'hcl_syntax'>

/**
 * Reads a job file, and evaluates its expressions with its `variable` and `locals` blocks, which are gone then. Texts
 * for the nodes, such as `${attr.kernel.name}`, stay as they are.
 *
 * @param variables - values of variables: `name = value` lines
 */
export function evaluateFile(text: string, variables: string): Evaluated {
  const places = positions(text)
  const given = positions(variables)
  let where = places
  try {
    const items = itemsOf(new Scanner(text))
    where = given
    const values = new Map(
      itemsOf(new Scanner(variables)).map((item) => [item.keys[0]?.text ?? '', item] as const),
    )
    where = places
    const { scope, take } = scopeOf(items, values, (place) => {
      where = place === 'file' ? places : given
    })
    const entries = items.filter(({ keys }) => keys[0]?.text !== 'variable' && keys[0]?.text !== 'locals')
    return { ok: true, value: bodyOf(entries, { scope, take, places }, { line: 1, column: 1 }) }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const problem = problemAt(where(error.at), error.message)
    return where === given
      ? { ok: false, refusal: { ...problem.refusal, message: `variables: ${problem.refusal.message}` } }
      : problem
  }
}

/** The positions of offsets. */
function positions(text: string): (at: number) => Position {
  const starts = [0]
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1)
  return (at) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: at - (starts[low] ?? 0) + 1 }
  }
}

/** Reads items to the end of the text, or of their block. */
function itemsOf(scanner: Scanner, start?: number): readonly Item[] {
  const items: Item[] = []
  for (;;) {
    scanner.skipSpace({ lines: true })
    if (scanner.isAtEnd) {
      if (start !== undefined) scanner.fail('expected "}" to close the block', scanner.at)
      return items
    }
    if (start !== undefined && scanner.has('}')) return items
    items.push(itemOf(scanner))
    scanner.skipSpace({ lines: true })
    scanner.has(',')
  }
}

function itemOf(scanner: Scanner): Item {
  const keys: { readonly text: string; readonly at: number }[] = []
  for (;;) {
    scanner.skipSpace({ lines: keys.length === 0 })
    const { at } = scanner
    if (keys.length > 0 && scanner.has('{'))
      return { keys, value: scanner.within(() => itemsOf(scanner, at)) }
    if (keys.length === 1 && scanner.has('=')) {
      scanner.skipSpace({ lines: false })
      const from = scanner.at
      const evaluate = expression(scanner, false)
      return { keys, value: { evaluate, text: scanner.text.slice(from, scanner.at).trim(), at: from } }
    }
    const text = scanner.next === '"' ? labelOf(scanner) : scanner.name()
    if (text === undefined)
      return scanner.fail(
        keys.length === 0
          ? `expected a name, found ${JSON.stringify(scanner.next)}`
          : `expected "=", a label or "{" after ${keys[0]?.text}, found ${scanner.isAtEnd ? 'end of input' : JSON.stringify(scanner.next)}`,
      )
    keys.push({ text, at })
  }
}

function labelOf(scanner: Scanner): string {
  const start = scanner.at
  scanner.skipString()
  const text = scanner.text.slice(start + 1, scanner.at - 1)
  if (/[$%]\{/.test(text)) scanner.fail('a label is plain text, without a template', start)
  return text.replace(/\\(["\\])/g, '$1')
}

/** Texts that the node resolves: they name none of the file's own values, and call nothing. */
const isForNode = (raw: string): boolean => {
  const names = raw.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  return !/(?:^|[^\w.])(?:var|local)\b/.test(names) && !/[a-z_]\w*\(/.test(names) && /[a-zA-Z_]/.test(names)
}

/** The most characters and items of a value with all that is in it: texts made of texts grow fast. */
const largest = 1_000_000

/** The most characters and items of all values that a file makes and uses: they are evaluated in one step. */
const most = 10 * largest

/** Evaluates each value once, and finds those that need themselves. */
const once = (
  kind: string,
  from: ReadonlyMap<string, Item>,
  fail: Scope['fail'],
  evaluate: (name: string, item: Item) => Constant,
) => {
  const done = new Map<string, Constant>()
  const doing = new Set<string>()
  const lookUp = (name: string, place: number): Constant => {
    const known = done.get(name)
    if (known !== undefined) return known
    const item = from.get(name)
    if (item === undefined) {
      const meant = nearest(name, from.keys())
      return fail(
        `there is no ${kind}.${name}${meant === undefined ? '' : `; did you mean ${kind}.${meant}?`}`,
        place,
      )
    }
    if (doing.has(name)) return fail(`${kind}.${name} needs itself`, place)
    if (doing.size === deepest)
      return fail(`${kind}.${name} needs more than ${deepest} others in turn`, place)
    doing.add(name)
    const value = evaluate(name, item)
    doing.delete(name)
    done.set(name, value)
    return value
  }
  return lookUp
}

/** A value as one of its variable's type. */
const converted = (
  value: Constant,
  kind: string,
  wrong: (message: string) => never,
  scope: Scope,
): Constant => {
  const isPlain = kind === 'string' || kind === 'any' || kind === ''
  if (kind === 'string') return typeof value === 'object' ? wrong('is a string') : String(value)
  if (isPlain || typeof value !== 'string') {
    const isList = /^(?:list|set|tuple)\b/.test(kind)
    if (isList && !Array.isArray(value)) return wrong(`is a ${kind}`)
    if ((kind === 'number' || kind === 'bool') && typeof value !== (kind === 'bool' ? 'boolean' : kind))
      return wrong(`is a ${kind}`)
    return value
  }
  // On a command line every value is a text: that of another type is an expression.
  const scanner = new Scanner(value)
  try {
    const read = expression(scanner, true)
    scanner.skipSpace({ lines: true })
    const meant = scanner.isAtEnd ? read(scope) : undefined
    return meant === undefined || typeof meant === 'string'
      ? wrong(`is a ${kind}`)
      : converted(meant, kind, wrong, scope)
  } catch (error) {
    if (error instanceof Unreadable) return wrong(`is a ${kind}`)
    throw error
  }
}

/** The characters and items of a value with all that is in it, and its levels. */
interface Measure {
  readonly size: number
  readonly depth: number
}

/** Measures values, and counts the work of a file; both are bounded. */
function bounds(fail: Scope['fail']) {
  const measured = new WeakMap<object, Measure>()
  const measure = (value: Constant, place: number, level = 0): Measure => {
    if (typeof value === 'string') return { size: value.length, depth: 0 }
    if (typeof value !== 'object' || value === null) return { size: 1, depth: 0 }
    let found = measured.get(value)
    if (found === undefined && level <= deepest) {
      let [size, depth] = [1, 0]
      for (const [name, each] of Object.entries(value)) {
        const inner = measure(each, place, level + 1)
        size += name.length + inner.size
        depth = Math.max(depth, inner.depth)
      }
      found = { size, depth: depth + 1 }
      measured.set(value, found)
    }
    return found === undefined || found.depth > deepest
      ? fail(`the value is nested deeper than ${deepest} levels`, place)
      : found
  }
  const sizeOf = (value: Constant, place: number): number => measure(value, place).size
  let work = most
  const spend = (effort: number, place: number): void => {
    work -= effort
    if (work < 0)
      fail(`the file takes too much work: its values have more than ${most} characters together`, place)
  }
  return { sizeOf, spend }
}

/** The names of a file: `var`, `local` and the functions. */
function scopeOf(
  items: readonly Item[],
  values: ReadonlyMap<string, Item>,
  at: (place: 'file' | 'variables') => void,
): { readonly scope: Scope; readonly take: (value: Constant, at: number) => Constant } {
  const fail: Scope['fail'] = (message, place) => {
    throw new Unreadable(message, place)
  }
  const { sizeOf, spend } = bounds(fail)
  const used = (value: Constant, place: number): Constant => {
    spend(sizeOf(value, place), place)
    return value
  }
  const declared = new Map(
    items.flatMap((item) =>
      item.keys[0]?.text === 'variable' ? [[item.keys[1]?.text ?? '', item] as const] : [],
    ),
  )
  const locals = new Map<string, Item>()
  for (const { keys, value } of items)
    if (keys[0]?.text === 'locals' && Array.isArray(value))
      for (const item of value as readonly Item[]) locals.set(item.keys[0]?.text ?? '', item)
  for (const [name, item] of values)
    if (!declared.has(name)) {
      at('variables')
      const meant = nearest(name, declared.keys())
      fail(
        `there is no variable "${name}"${meant === undefined ? '' : `; did you mean ${meant}?`}`,
        item.keys[0]?.at ?? 0,
      )
    }
  const fieldOf = ({ value }: Item, name: string) =>
    Array.isArray(value)
      ? (value as readonly Item[]).find(({ keys }) => keys[0]?.text === name)?.value
      : undefined
  const evaluated = (value: Item['value'] | undefined) =>
    value !== undefined && 'evaluate' in value ? value.evaluate(scope) : undefined

  const variableValue = (name: string, item: Item): Constant => {
    const set = values.get(name)
    const type = fieldOf(item, 'type')
    const kind = type !== undefined && 'text' in type ? type.text : 'any'
    if (set !== undefined) at('variables')
    const found = set === undefined ? evaluated(fieldOf(item, 'default')) : evaluated(set.value)
    const place = (set ?? item).keys[0]?.at ?? 0
    if (found === undefined) fail(`variable "${name}" has no value: give it one, or a default`, place)
    const value =
      found === undefined
        ? null
        : converted(found, kind, (message) => fail(`variable "${name}" ${message}`, place), scope)
    at('file')
    return value
  }
  const vars = once('var', declared, fail, variableValue)
  const localValues = once('local', locals, fail, (name, { value, keys }) =>
    'evaluate' in value
      ? value.evaluate(scope)
      : fail(`local "${name}" is written ${name} = …`, keys[0]?.at ?? 0),
  )
  const scope: Scope = {
    fail,
    spend,
    keeps: isForNode,
    made: (value, place) => {
      const size = sizeOf(value, place)
      if (size > largest) fail(`the value is larger than ${largest} characters`, place)
      spend(size, place)
      return value
    },
    valueOf: (name, member, place) =>
      member !== undefined && name === 'var'
        ? used(vars(member, place), place)
        : member !== undefined && name === 'local'
          ? used(localValues(member, place), place)
          : fail(
              `there is no "${name}" here; values are var.NAME, local.NAME and, in quotes, "\${attr.…}" of nodes`,
              place,
            ),
    call: (name, args, place) => {
      const work = Object.hasOwn(functions, name) ? functions[name] : undefined
      if (work === undefined) {
        const meant = nearest(name, Object.keys(functions))
        return fail(
          `there is no function ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
          place,
        )
      }
      // What a function makes is at most the product of two arguments, as with join and replace.
      const size = args.reduce<number>((sum, each) => sum + sizeOf(each, place), 0)
      if (size > largest / 10)
        return fail(`the arguments of ${name} are larger than ${largest / 10} characters`, place)
      spend(effortOf(name, size), place)
      try {
        return work(args)
      } catch (error) {
        if (error instanceof WrongArguments) return fail(`${name} ${error.message}`, place)
        throw error
      }
    },
  }
  for (const [name, item] of declared) {
    vars(name, item.keys[0]?.at ?? 0)
    for (const { keys, value } of Array.isArray(item.value) ? (item.value as readonly Item[]) : []) {
      if (keys[0]?.text !== 'validation' || !Array.isArray(value)) continue
      const rule: Item = { keys, value }
      if (evaluated(fieldOf(rule, 'condition')) !== false) continue
      fail(
        `variable "${name}": ${String(evaluated(fieldOf(rule, 'error_message')) ?? 'the value is not valid')}`,
        keys[0]?.at ?? 0,
      )
    }
  }
  let left = largest
  const take = (value: Constant, place: number) => {
    left -= sizeOf(value, place)
    return left < 0 ? fail(`the job is larger than ${largest} characters`, place) : value
  }
  return { scope, take }
}

/** A file whose names are known. */
interface KnownFile extends ReturnType<typeof scopeOf> {
  readonly places: (at: number) => Position
}

function bodyOf(items: readonly Item[], file: KnownFile, at: Position): Body {
  const { scope, take, places } = file
  const entries = items.flatMap((item): Entry | readonly Entry[] => {
    const { keys, value } = item
    const named: Key[] = keys.map((key) => ({ text: key.text, at: places(key.at) }))
    const place = named[0]?.at ?? at
    if ('evaluate' in value)
      return {
        keys: named,
        value: valueAt(take(value.evaluate(scope), value.at), places(value.at)),
        assigned: true,
        at: place,
      }
    if (keys[0]?.text === 'dynamic') return dynamicBlocks(keys, value, file)
    return { keys: named, value: bodyOf(value, file, place), assigned: false, at: place }
  })
  return { kind: 'object', entries, at }
}

/** What one block that a `dynamic` block makes costs. */
const blockEffort = 200

/** The blocks that a `dynamic "NAME"` block makes: one for each item of `for_each`, as its `content` says. */
function dynamicBlocks(keys: Item['keys'], parts: readonly Item[], file: KnownFile): readonly Entry[] {
  const { scope, places } = file
  const [begun, label] = keys
  const start = begun?.at ?? 0
  const fail = (message: string, place = start): never => scope.fail(message, place)
  if (label === undefined || keys.length > 2)
    return fail('a dynamic block has one label: the name of the blocks')
  const found = new Map(parts.map((part) => [part.keys[0]?.text ?? '', part] as const))
  for (const [name, part] of found)
    if (!['for_each', 'iterator', 'labels', 'content'].includes(name))
      fail(`a dynamic block has for_each, iterator, labels and content, not ${name}`, part.keys[0]?.at)
  const content = found.get('content')?.value
  const each = found.get('for_each')?.value
  if (content === undefined || 'evaluate' in content) return fail('a dynamic block needs a block content')
  if (each === undefined || !('evaluate' in each)) return fail('a dynamic block needs for_each = …')
  const iterator = found.get('iterator')?.value
  const name = iterator !== undefined && 'text' in iterator ? iterator.text : label.text
  const labels = found.get('labels')?.value
  const loop: Loop = { collection: each.evaluate, key: '', item: name, at: each.at }
  return [...turns(loop, scope, blockEffort, (key, value) => ({ key, value }))].map((inner): Entry => {
    const given = labels !== undefined && 'evaluate' in labels ? labels.evaluate(inner) : []
    if (!Array.isArray(given)) return fail('labels is a list of strings')
    const texts = [label.text, ...given.map(String)]
    const place = places(label.at)
    return {
      keys: texts.map((text) => ({ text, at: place })),
      value: bodyOf(content, { ...file, scope: inner }, place),
      assigned: false,
      at: place,
    }
  })
}

function valueAt(value: Constant, at: Position): Value {
  if (Array.isArray(value))
    return { kind: 'list', items: value.map((each: Constant) => valueAt(each, at)), at }
  if (typeof value === 'string') return { kind: 'string', value, at }
  if (typeof value === 'number') return { kind: 'number', value, at }
  if (typeof value === 'boolean') return { kind: 'bool', value, at }
  if (value === null) return { kind: 'null', value, at }
  const entries = Object.entries(value).map(
    ([text, each]): Entry => ({ keys: [{ text, at }], value: valueAt(each, at), assigned: true, at }),
  )
  return { kind: 'object', entries, at }
}
