import type { Constant } from './model.ts'
import { notConstant, Scanner, Unreadable } from './scanner.ts'
import { heredocTemplate, stringTemplate } from './template.ts'

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
    const value = conditional(scanner, true)
    scanner.skipSpace({ lines: true })
    return scanner.isAtEnd ? value : undefined
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

/** @param lines - whether line ends are ignored, as in brackets; in an object they separate */
export function conditional(scanner: Scanner, lines: boolean): Constant {
  const condition = binary(scanner, lines, 0)
  scanner.skipSpace({ lines })
  if (!scanner.has('?')) return condition
  const yes = scanner.within(() => conditional(scanner, lines))
  scanner.skipSpace({ lines })
  if (!scanner.has(':')) notConstant()
  const no = scanner.within(() => conditional(scanner, lines))
  return typeof condition === 'boolean' ? (condition ? yes : no) : notConstant()
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

function binary(scanner: Scanner, lines: boolean, level: number): Constant {
  const row = operators[level]
  if (row === undefined) return unary(scanner)
  let left = binary(scanner, lines, level + 1)
  for (;;) {
    scanner.skipSpace({ lines })
    const operate = row.find(([sign]) => scanner.has(sign))?.[1]
    if (operate === undefined) return left
    left = operate(left, binary(scanner, lines, level + 1)) ?? notConstant()
  }
}

function unary(scanner: Scanner): Constant {
  scanner.skipSpace({ lines: true })
  if (scanner.has('-')) {
    const value = scanner.within(() => unary(scanner))
    return typeof value === 'number' ? -value : notConstant()
  }
  if (scanner.has('!')) {
    const value = scanner.within(() => unary(scanner))
    return typeof value === 'boolean' ? !value : notConstant()
  }
  return primary(scanner)
}

const number = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\p{ID_Continue}.])/uy

function primary(scanner: Scanner): Constant {
  const digits = scanner.take(number)?.[0]
  if (digits !== undefined) {
    const value = Number(digits)
    return Number.isFinite(value) ? value : notConstant()
  }
  if (scanner.next === '"') return stringTemplate(scanner, conditional)
  if (scanner.text.startsWith('<<', scanner.at)) return heredocTemplate(scanner, conditional)
  if (scanner.has('(')) return scanner.within(() => parenthesized(scanner))
  if (scanner.has('[')) return scanner.within(() => tuple(scanner))
  if (scanner.has('{')) return scanner.within(() => object(scanner))
  const word = scanner.name()
  if (word === 'true' || word === 'false') return word === 'true'
  return word === 'null' ? null : notConstant()
}

function parenthesized(scanner: Scanner): Constant {
  const value = conditional(scanner, true)
  scanner.skipSpace({ lines: true })
  return scanner.has(')') ? value : notConstant()
}

function tuple(scanner: Scanner): Constant {
  const items: Constant[] = []
  for (;;) {
    scanner.skipSpace({ lines: true })
    if (scanner.has(']')) return items
    items.push(conditional(scanner, true))
    scanner.skipSpace({ lines: true })
    if (!scanner.has(',') && scanner.next !== ']') notConstant()
  }
}

function object(scanner: Scanner): Constant {
  const entries = new Map<string, Constant>()
  for (;;) {
    scanner.skipSpace({ lines: true })
    if (scanner.has('}')) return Object.fromEntries(entries)
    const key = scanner.name() ?? primary(scanner)
    scanner.skipSpace({ lines: false })
    if (typeof key === 'object' || key === null || !(scanner.has('=') || scanner.has(':'))) notConstant()
    entries.set(String(key), conditional(scanner, false))
    scanner.skipSpace({ lines: false })
    if (!scanner.has(',') && !scanner.isAtLineEnd && scanner.next !== '}') notConstant()
  }
}
