import { type Body, type Entry, type Key, type Position, problemAt, type Value } from '../../hcl/index.ts'
import { type Constant, type Loop, Scanner, turns, Unreadable } from '../../hcl/structure/index.ts'
import type { Refused } from '../../kernel/index.ts'
import { type FileScope, fileScope, type InText } from './file-scope.ts'
import { type Item, itemsOf, positions } from './items.ts'

type Evaluated = { readonly ok: true; readonly value: Body } | Refused<'hcl_syntax'>

/**
 * Reads a job file, and evaluates its expressions with its `variable` and `locals` blocks, which are gone then. Texts
 * for the nodes, such as `${attr.kernel.name}`, stay as they are. A long file takes 0.1 s: the event loop may continue
 * between the steps.
 *
 * @param variables - values of variables: `name = value` lines
 */
export function* evaluateFile(text: string, variables: string): Generator<undefined, Evaluated> {
  const places = positions(text)
  const textOf = new WeakMap<Unreadable, 'file' | 'variables'>()
  const inText: InText = (name, work) => {
    try {
      return work()
    } catch (error) {
      if (error instanceof Unreadable && !textOf.has(error)) textOf.set(error, name)
      throw error
    }
  }
  try {
    const items = itemsOf(new Scanner(text))
    yield
    const given = inText('variables', () => itemsOf(new Scanner(variables)))
    const values = new Map(given.map((item) => [item.keys[0]?.text ?? '', item] as const))
    const { scope, take } = fileScope(items, values, inText)
    const entries = items.filter(({ keys }) => keys[0]?.text !== 'variable' && keys[0]?.text !== 'locals')
    yield
    return { ok: true, value: bodyOf(entries, { scope, take, places }, { line: 1, column: 1 }) }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    if (textOf.get(error) !== 'variables') return problemAt(places(error.at), error.message)
    const { refusal } = problemAt(positions(variables)(error.at), error.message)
    return { ok: false, refusal: { ...refusal, message: `variables: ${refusal.message}` } }
  }
}

/** A file whose names are known. */
interface KnownFile extends FileScope {
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
