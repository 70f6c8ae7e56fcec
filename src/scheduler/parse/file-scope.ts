import {
  type Constant,
  deepest,
  expression,
  Scanner,
  type Scope,
  Unreadable,
} from '../../hcl/structure/index.ts'
import { nearest } from '../../kernel/nearest.ts'
import { ownValue } from '../../kernel/objects.ts'
import { effortOf, functions, WrongArguments } from './functions.ts'
import type { Item } from './items.ts'
import { largest, workBounds } from './work-bounds.ts'

/** Texts that the node resolves: they name none of the file's own values, and call nothing. */
const isForNode = (raw: string): boolean => {
  const names = raw.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  return !/(?:^|[^\w.])(?:var|local)\b/.test(names) && !/[a-z_]\w*\(/.test(names) && /[a-zA-Z_]/.test(names)
}

/** Items by name. */
type Named = ReadonlyMap<string, Item>

const fail: Scope['fail'] = (message, place) => {
  throw new Unreadable(message, place)
}

/** Evaluates each value once, and finds those that need themselves. */
const once = (kind: string, from: Named, evaluate: (name: string, item: Item) => Constant) => {
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

/** Does work whose failures have their place in one of the texts. */
export type InText = <Result>(text: 'file' | 'variables', work: () => Result) => Result

const startOf = ({ keys }: Item): number => keys[0]?.at ?? 0
const blocksIn = ({ value }: Item): readonly Item[] =>
  Array.isArray(value) ? (value as readonly Item[]) : []
const fieldOf = (item: Item, name: string): Item['value'] | undefined =>
  blocksIn(item).find(({ keys }) => keys[0]?.text === name)?.value
const evaluated = (value: Item['value'] | undefined, scope: Scope): Constant | undefined =>
  value !== undefined && 'evaluate' in value ? value.evaluate(scope) : undefined
const orMeant = (meant: string | undefined): string => (meant === undefined ? '' : `; did you mean ${meant}?`)

/** The variables and locals that a file declares; a value for another variable is refused. */
function namesOf(
  items: readonly Item[],
  values: Named,
  inText: InText,
): { readonly declared: Named; readonly locals: Named } {
  const blocks = (type: string) => items.filter(({ keys }) => keys[0]?.text === type)
  const declared = new Map(blocks('variable').map((item) => [item.keys[1]?.text ?? '', item]))
  const locals = new Map(
    blocks('locals')
      .flatMap(blocksIn)
      .map((item) => [item.keys[0]?.text ?? '', item]),
  )
  for (const [name, item] of values)
    if (!declared.has(name))
      inText('variables', () =>
        fail(`there is no variable "${name}"${orMeant(nearest(name, declared.keys()))}`, startOf(item)),
      )
  return { declared, locals }
}

/** The type of a variable that declares none: that of its default. */
const kindOf = (usual: Constant | undefined): string => {
  if (Array.isArray(usual)) return 'list'
  if (typeof usual === 'object' && usual !== null) return 'map'
  if (typeof usual === 'boolean') return 'bool'
  return typeof usual === 'number' || typeof usual === 'string' ? typeof usual : 'any'
}

/** The value of a declared variable: the given one or its default, as one of its type. */
function variableValue(name: string, item: Item, set: Item | undefined, scope: Scope): Constant {
  const type = fieldOf(item, 'type')
  const usual = evaluated(fieldOf(item, 'default'), scope)
  const kind = type !== undefined && 'text' in type ? type.text : kindOf(usual)
  const found = set === undefined ? usual : evaluated(set.value, scope)
  const place = startOf(set ?? item)
  return found === undefined
    ? fail(`variable "${name}" has no value: give it one, or a default`, place)
    : converted(found, kind, (message) => fail(`variable "${name}" ${message}`, place), scope)
}

/** Refuses a value that a `validation` block of its variable rules out. */
function checkRules(name: string, item: Item, scope: Scope): void {
  for (const rule of blocksIn(item)) {
    if (rule.keys[0]?.text !== 'validation' || !Array.isArray(rule.value)) continue
    if (evaluated(fieldOf(rule, 'condition'), scope) !== false) continue
    const message = evaluated(fieldOf(rule, 'error_message'), scope) ?? 'the value is not valid'
    fail(`variable "${name}": ${String(message)}`, startOf(rule))
  }
}

type Bounds = ReturnType<typeof workBounds>

/** Calls a function of the language, within the bounds. */
const caller =
  ({ sizeOf, spend }: Bounds): Scope['call'] =>
  (name, args, place) => {
    const work = ownValue(functions, name)
    if (work === undefined)
      return fail(`there is no function ${name}${orMeant(nearest(name, Object.keys(functions)))}`, place)
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
  }

/** What the names of a file mean: `var`, `local` and the functions. */
export interface FileScope {
  readonly scope: Scope
  /** A value that becomes part of the job, whose size is bounded. */
  readonly take: (value: Constant, at: number) => Constant
}

/**
 * Evaluates the variables of a file and checks their rules; everything else is evaluated when it is used.
 *
 * @param values - those that the caller gives variables
 */
export function fileScope(items: readonly Item[], values: Named, inText: InText): FileScope {
  const names = namesOf(items, values, inText)
  const bounds = workBounds(fail)
  const { sizeOf, spend } = bounds
  const used = <Value extends Constant>(value: Value, place: number): Value => {
    spend(sizeOf(value, place), place)
    return value
  }
  const vars = once('var', names.declared, (name, item) => {
    const set = values.get(name)
    const text = set === undefined ? 'file' : 'variables'
    return inText(text, () => variableValue(name, item, set, scope))
  })
  const locals = once('local', names.locals, (name, item) =>
    inText('file', () => {
      const value = evaluated(item.value, scope)
      return value === undefined ? fail(`local "${name}" is written ${name} = …`, startOf(item)) : value
    }),
  )
  const scope: Scope = {
    fail,
    spend,
    keeps: isForNode,
    made: (value, place) => {
      if (sizeOf(value, place) > largest) fail(`the value is larger than ${largest} characters`, place)
      return used(value, place)
    },
    valueOf: (name, member, place) => {
      if (member !== undefined && name === 'var') return used(vars(member, place), place)
      if (member !== undefined && name === 'local') return used(locals(member, place), place)
      return fail(
        `there is no "${name}" here; values are var.NAME, local.NAME and, in quotes, "\${attr.…}" of nodes`,
        place,
      )
    },
    call: caller(bounds),
  }
  for (const [name, item] of names.declared) {
    vars(name, startOf(item))
    checkRules(name, item, scope)
  }
  let left = largest
  const take = (value: Constant, place: number) => {
    left -= sizeOf(value, place)
    return left < 0 ? fail(`the job is larger than ${largest} characters`, place) : value
  }
  return { scope, take }
}
