import type { Connective, Expression, Match } from '../ast.ts'
import { FilterError } from '../error.ts'
import { closureOf } from '../evaluating/closures.ts'
import type { Context } from '../evaluating/context.ts'
import { fastPathOf, fastReadOf } from '../evaluating/fast-path.ts'
import { numberDecider, stringDecider } from '../operators/decision.ts'
import { type Bits, bitsFor } from './bits.ts'
import { longest, rowWith } from './cell.ts'
import type { Column } from './column.ts'

/** The results of an expression for all slots whose values are stored in columns. */
export interface Answers {
  readonly passing: Bits
  readonly failing: Bits | undefined
}

/** The column of a path of properties. */
export type ColumnOf = (keys: readonly string[]) => Column

/** Whether columns can evaluate a whole expression: it only compares fields of the datum with literals. */
export function isColumnar(node: Expression, context: Context): boolean {
  switch (node.type) {
    case 'and':
    case 'or':
      return node.operands.every((operand) => isColumnar(operand, context))
    case 'not':
      return isColumnar(node.operand, context)
    case 'match':
      return node.operand?.type !== 'field' && fastReadOf(node.selector, context, undefined) !== undefined
    case 'any':
    case 'all':
    case 'none':
      return false
    default:
      return node satisfies never
  }
}

/** The maximum number of steps of an expression for a row stored in columns. */
export function stepsOf(node: Expression): number {
  switch (node.type) {
    case 'and':
    case 'or':
      return node.operands.reduce((sum, operand) => sum + stepsOf(operand), 0)
    case 'not':
      return stepsOf(node.operand)
    case 'match': {
      const values = node.operand?.type === 'values' ? node.operand.values.length : 1
      // Building the column reads the path once.
      return node.selector.path.length + longest.list * (longest.string + values)
    }
    case 'any':
    case 'all':
    case 'none':
      return Infinity
    default:
      return node satisfies never
  }
}

/** Evaluates an expression that columns can answer entirely. */
export function answersOf(node: Expression, context: Context, columnOf: ColumnOf, slots: number): Answers {
  switch (node.type) {
    case 'and':
    case 'or':
      return joined(
        node.type,
        node.operands.map((operand) => answersOf(operand, context, columnOf, slots)),
      )
    case 'not': {
      const { passing, failing } = answersOf(node.operand, context, columnOf, slots)
      return { passing: passing.map((word, at) => ~word & ~(failing?.[at] ?? 0)), failing }
    }
    case 'match': {
      const keys = fastReadOf(node.selector, context, undefined)?.keys ?? []
      return matchAnswers(node, context, columnOf(keys), slots)
    }
    case 'any':
    case 'all':
    case 'none':
      throw new Error('no column answers a quantifier')
    default:
      return node satisfies never
  }
}

/** Operands to the right of one that decides or throws are not evaluated. */
function joined(type: Connective['type'], operands: readonly Answers[]): Answers {
  const [first, ...rest] = operands
  const passing = first?.passing ?? bitsFor(0)
  let failing = first?.failing
  for (const { passing: right, failing: rightFails } of rest) {
    if (rightFails !== undefined) failing ??= new Uint32Array(passing.length)
    for (let at = 0; at < passing.length; at += 1) {
      const left = passing[at] ?? 0
      const leftFails = failing?.[at] ?? 0
      const undecided = type === 'and' ? left : ~left & ~leftFails
      passing[at] = type === 'and' ? left & (right[at] ?? 0) : left | (undecided & (right[at] ?? 0))
      if (failing !== undefined) failing[at] = leftFails | (undecided & (rightFails?.[at] ?? 0))
    }
  }
  return { passing, failing }
}

const passes = 1
const fails = 2
type Answer = 0 | typeof passes | typeof fails

function matchAnswers(match: Match, context: Context, column: Column, slots: number): Answers {
  const { keys, distinct, codes, cells } = column
  const check = closureOf(match, context)
  const answer = (cell: unknown): Answer => {
    if (cell === undefined) return 0
    context.work.begin()
    try {
      return check(rowWith(cell, keys)) ? passes : 0
    } catch (error) {
      if (error instanceof FilterError) return fails
      throw error
    }
  }
  if (distinct !== undefined) {
    const table = Uint8Array.from(distinct, answer)
    return { passing: bitsOf(codes, table, passes, slots), failing: failuresOf(codes, table, slots) }
  }
  return cellAnswers(cells, answerOf(match, context, answer), slots)
}

function failuresOf(codes: Uint32Array, table: Uint8Array, slots: number): Bits | undefined {
  return table.includes(fails) ? bitsOf(codes, table, fails, slots) : undefined
}

/** The slots whose code has an answer. */
function bitsOf(codes: Uint32Array, table: Uint8Array, wanted: Answer, slots: number): Bits {
  const bits = bitsFor(slots)
  const shift = wanted >>> 1
  for (let at = 0; at < bits.length; at += 1) {
    const end = Math.min(slots, at * 32 + 32)
    let word = 0
    for (let slot = at * 32; slot < end; slot += 1)
      word |= (((table[codes[slot] ?? 0] ?? 0) >>> shift) & 1) << (slot & 31)
    bits[at] = word
  }
  return bits
}

/** Decides what can be decided without a test. */
function answerOf(match: Match, context: Context, answer: (cell: unknown) => Answer): typeof answer {
  const path = fastPathOf(match, context, undefined)
  const string = path?.string && stringDecider(path.string, { work: context.work, on: match })
  const number = path?.number && numberDecider(path.number)
  const { negated } = match
  const spends = match.ignoreCase || match.op === 'in' || match.op === 'matches'
  const known = new Map<unknown, Answer>()
  return (cell) => {
    if (typeof cell === 'string' && string !== undefined) {
      if (spends) context.work.begin()
      return string(cell) === negated ? 0 : passes
    }
    if (typeof cell === 'number' && number !== undefined) return number(cell) === negated ? 0 : passes
    // Gaps are few and always the same.
    const found = known.get(cell)
    if (found !== undefined) return found
    const made = answer(cell)
    if (known.size < 64) known.set(cell, made)
    return made
  }
}

function cellAnswers(cells: ArrayLike<unknown>, answer: (cell: unknown) => Answer, slots: number): Answers {
  const passing = bitsFor(slots)
  let failing: Bits | undefined
  for (let at = 0; at < passing.length; at += 1) {
    const end = Math.min(slots, at * 32 + 32)
    let word = 0
    let failed = 0
    for (let slot = at * 32; slot < end; slot += 1) {
      const found = answer(cells[slot])
      if (found === passes) word |= 1 << (slot & 31)
      else if (found === fails) failed |= 1 << (slot & 31)
    }
    passing[at] = word
    if (failed !== 0) {
      failing ??= bitsFor(slots)
      failing[at] = failed
    }
  }
  return { passing, failing }
}
