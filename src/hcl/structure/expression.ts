import { listOfLoop, loopHead, memberOf, objectOfLoop } from './loops.ts'
import type { Constant, Evaluate, Scope } from './model.ts'
import { notConstant, Scanner, Unreadable } from './scanner.ts'
import { heredocTemplate, stringTemplate } from './template.ts'

/** A scope without names: an expression that needs more than itself is no constant. */
const nothing: Scope = {
  valueOf: notConstant,
  call: notConstant,
  fail: notConstant,
  keeps: () => false,
  made: (value) => value,
  spend: notConstant,
}

/** What most values are: it needs no scanner. */
const plainString = /^"([^"\\$%\n]*)"$/

/**
 * The value of a constant expression: literals, lists, objects, templates and operators on them.
 *
 * @returns `undefined` if it depends on more (a reference, a function, a `for`) or is not an expression
 */
export function constantOf(text: string): Constant | undefined {
  const plain = plainString.exec(text)?.[1]
  if (plain !== undefined) return plain
  const scanner = new Scanner(text)
  try {
    const value = expression(scanner, true)
    scanner.skipSpace({ lines: true })
    return scanner.isAtEnd ? value(nothing) : undefined
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

/**
 * Reads an expression, which ends where no operator follows.
 *
 * @param lines - whether line ends are ignored, as in brackets; in an object they separate
 */
export function expression(scanner: Scanner, lines: boolean): Evaluate {
  const { at } = scanner
  const condition = binary(scanner, lines, 0)
  scanner.skipSpace({ lines })
  if (!scanner.has('?')) return condition
  const yes = scanner.within(() => expression(scanner, lines))
  scanner.skipSpace({ lines })
  if (!scanner.has(':')) scanner.fail('expected ":" and the value for false')
  const no = scanner.within(() => expression(scanner, lines))
  return (scope) => {
    const found = condition(scope)
    if (typeof found !== 'boolean') return scope.fail('a condition is true or false', at)
    return found ? yes(scope) : no(scope)
  }
}

type Operate = (left: Constant, right: Constant) => Constant | undefined

const numbers =
  (operate: (left: number, right: number) => number | boolean): Operate =>
  (left, right) =>
    typeof left === 'number' && typeof right === 'number' ? finite(operate(left, right)) : undefined
const booleans =
  (operate: (left: boolean, right: boolean) => boolean): Operate =>
  (left, right) =>
    typeof left === 'boolean' && typeof right === 'boolean' ? operate(left, right) : undefined
const finite = (value: number | boolean) =>
  typeof value === 'boolean' || Number.isFinite(value) ? value : undefined
const same = (left: Constant, right: Constant): boolean => JSON.stringify(left) === JSON.stringify(right)

/** Operators by precedence; of two with the same beginning, the longer one first. */
const operators: readonly (readonly (readonly [string, Operate])[])[] = [
  [['||', booleans((left, right) => left || right)]],
  [['&&', booleans((left, right) => left && right)]],
  [
    ['==', same],
    ['!=', (left, right) => !same(left, right)],
  ],
  [
    ['<=', numbers((left, right) => left <= right)],
    ['>=', numbers((left, right) => left >= right)],
    ['<', numbers((left, right) => left < right)],
    ['>', numbers((left, right) => left > right)],
  ],
  [
    ['+', numbers((left, right) => left + right)],
    ['-', numbers((left, right) => left - right)],
  ],
  [
    ['*', numbers((left, right) => left * right)],
    ['/', numbers((left, right) => left / right)],
    ['%', numbers((left, right) => left % right)],
  ],
]

function binary(scanner: Scanner, lines: boolean, level: number): Evaluate {
  const row = operators[level]
  if (row === undefined) return unary(scanner)
  let left = binary(scanner, lines, level + 1)
  for (;;) {
    scanner.skipSpace({ lines })
    const { at } = scanner
    const found = row.find(([sign]) => scanner.has(sign))
    if (found === undefined) return left
    const [sign, operate] = found
    const [first, second] = [left, binary(scanner, lines, level + 1)]
    left = (scope) =>
      operate(first(scope), second(scope)) ?? scope.fail(`"${sign}" does not take these values`, at)
  }
}

function unary(scanner: Scanner): Evaluate {
  scanner.skipSpace({ lines: true })
  const { at } = scanner
  if (scanner.has('-')) {
    const inner = scanner.within(() => unary(scanner))
    return (scope) => {
      const value = inner(scope)
      return typeof value === 'number' ? -value : scope.fail('"-" needs a number', at)
    }
  }
  if (scanner.has('!')) {
    const inner = scanner.within(() => unary(scanner))
    return (scope) => {
      const value = inner(scope)
      return typeof value === 'boolean' ? !value : scope.fail('"!" needs true or false', at)
    }
  }
  return postfix(scanner, primary(scanner))
}

const number = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\p{ID_Continue}.])/uy

function primary(scanner: Scanner): Evaluate {
  const { at } = scanner
  const digits = scanner.take(number)?.[0]
  if (digits !== undefined) {
    const value = Number(digits)
    return Number.isFinite(value) ? () => value : scanner.fail('the number is too large', at)
  }
  if (scanner.next === '"') return stringTemplate(scanner, expression)
  if (scanner.text.startsWith('<<', scanner.at)) return heredocTemplate(scanner, expression)
  if (scanner.has('(')) return scanner.within(() => parenthesized(scanner))
  if (scanner.has('[')) return scanner.within(() => tuple(scanner))
  if (scanner.has('{')) return scanner.within(() => object(scanner))
  const word = scanner.name()
  if (word === undefined) return scanner.fail('expected a value')
  if (scanner.has('(')) {
    const args = scanner.within(() => listUntil(scanner, ')'))
    return (scope) =>
      scope.made(
        scope.call(
          word,
          args.map((each) => each(scope)),
          at,
        ),
        at,
      )
  }
  if (word === 'true' || word === 'false') return () => word === 'true'
  if (word === 'null') return () => null
  const member =
    isMemberNext(scanner) && scanner.has('.')
      ? (scanner.name() ?? scanner.fail('expected a name after "."'))
      : undefined
  return (scope) => scope.valueOf(word, member, at)
}

/** Whether a dot begins a member, and neither `...` nor a splat. */
const isMemberNext = ({ text, at }: Scanner): boolean =>
  !text.startsWith('..', at) && !text.startsWith('.*', at)

const splat = /\.\*|\[\s*\*\s*\]/y

/** Members and items: `.name`, `["name"]`, `[0]`, and those of every item: `[*].name`, `.*.name`. */
function postfix(scanner: Scanner, whole: Evaluate, ofMembers = false): Evaluate {
  let inner = whole
  for (;;) {
    const { at } = scanner
    const every = ofMembers ? undefined : scanner.take(splat)?.[0]
    let key: Evaluate
    if (every !== undefined) {
      inner = ofEvery(scanner, inner, every.startsWith('.'))
      continue
    }
    if (isMemberNext(scanner) && scanner.has('.')) {
      const name = scanner.name() ?? scanner.take(/\d+/y)?.[0] ?? scanner.fail('expected a name after "."')
      key = () => name
    } else if (!ofMembers && scanner.has('[')) {
      key = scanner.within(() => expression(scanner, true))
      scanner.skipSpace({ lines: true })
      if (!scanner.has(']')) scanner.fail('expected "]"')
    } else return inner
    const from = inner
    inner = (scope) => memberOf(from(scope), key(scope), scope, at)
  }
}

/** What follows a splat, of every item of a list; of a value that is none, of itself, and nothing of null. */
function ofEvery(scanner: Scanner, whole: Evaluate, ofMembers: boolean): Evaluate {
  const { at } = scanner
  let item: Constant = null
  const each = scanner.within(() => postfix(scanner, () => item, ofMembers))
  const length = scanner.at - at
  return (scope) => {
    const found = whole(scope)
    const items: readonly Constant[] = found === null ? [] : Array.isArray(found) ? found : [found]
    const made = items.map((value) => {
      scope.spend(length + 1, at)
      item = value
      return each(scope)
    })
    return scope.made(made, at)
  }
}

function parenthesized(scanner: Scanner): Evaluate {
  const value = expression(scanner, true)
  scanner.skipSpace({ lines: true })
  return scanner.has(')') ? value : scanner.fail('expected ")"')
}

function listUntil(scanner: Scanner, end: string): readonly Evaluate[] {
  const items: Evaluate[] = []
  for (;;) {
    scanner.skipSpace({ lines: true })
    if (scanner.has(end)) return items
    items.push(expression(scanner, true))
    scanner.skipSpace({ lines: true })
    if (!scanner.has(',') && scanner.next !== end) scanner.fail(`expected "," or "${end}"`)
  }
}

function tuple(scanner: Scanner): Evaluate {
  const at = scanner.at - 1
  scanner.skipSpace({ lines: true })
  const loop = loopHead(scanner, expression)
  if (loop !== undefined) return listOfLoop(scanner, loop, expression)
  const items = listUntil(scanner, ']')
  return (scope) =>
    scope.made(
      items.map((each) => each(scope)),
      at,
    )
}

function object(scanner: Scanner): Evaluate {
  const start = scanner.at - 1
  scanner.skipSpace({ lines: true })
  const loop = loopHead(scanner, expression)
  if (loop !== undefined) return objectOfLoop(scanner, loop, expression)
  const entries: (readonly [key: Evaluate, value: Evaluate])[] = []
  for (;;) {
    scanner.skipSpace({ lines: true })
    if (scanner.has('}'))
      return (scope) => {
        const made = new Map<string, Constant>()
        for (const [key, value] of entries) {
          const name = key(scope)
          if (typeof name === 'object') return scope.fail('a key is a string', start)
          made.set(String(name), value(scope))
        }
        return scope.made(Object.fromEntries(made), start)
      }
    const name = scanner.name()
    const key = name === undefined ? primary(scanner) : () => name
    scanner.skipSpace({ lines: false })
    if (!(scanner.has('=') || scanner.has(':'))) scanner.fail('expected "=" after the key')
    entries.push([key, expression(scanner, false)])
    scanner.skipSpace({ lines: false })
    if (!scanner.has(',') && !scanner.isAtLineEnd && scanner.next !== '}')
      scanner.fail('expected "," or the end of the line')
  }
}
