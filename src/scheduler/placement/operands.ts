import { compileRegex } from '../../filter/regex/index.ts'
import { shortened } from '../values/shortened.ts'
import { isInRange, readVersionRange, type VersionDialect } from './version-constraint.ts'

/** Compares the resolved sides of a constraint; `undefined` is a missing value. */
export type OperandTest = (left: string | undefined, right: string | undefined) => boolean

/** One operand of constraints and affinities. */
export interface Operand {
  /** Whether a right side is needed, or must not be given. */
  readonly right: 'needed' | 'none' | 'optional'
  /** The problem of a constant right side. */
  readonly problem?: (right: string) => string | undefined
  /** Compiles the comparison with one right side, which may be compared with many left sides. */
  readonly test: (right: string | undefined) => (left: string | undefined) => boolean
}

const comparing = (test: OperandTest): Operand => ({
  right: 'needed',
  test: (right) => (left) => test(left, right),
})
const equal = comparing((left, right) => left !== undefined && right !== undefined && left === right)
const unequal = comparing((left, right) => left !== right)
const ordered = (accepts: (order: number) => boolean) =>
  comparing((left, right) => left !== undefined && right !== undefined && accepts(compareTexts(left, right)))

/** Compares two integers or two numbers by value, anything else as text. */
function compareTexts(left: string, right: string): number {
  if (whole.test(left) && whole.test(right)) {
    const [a, b] = [BigInt(left), BigInt(right)]
    return a < b ? -1 : a > b ? 1 : 0
  }
  if (decimal.test(left) && decimal.test(right)) return Number(left) - Number(right)
  return left < right ? -1 : left > right ? 1 : 0
}
const whole = /^-?\d{1,40}$/
const decimal = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

const versions = (dialect: VersionDialect): Operand => ({
  right: 'needed',
  problem: (right) =>
    readVersionRange(right, dialect) === undefined
      ? `has ${JSON.stringify(shortened(right))}, which is not a list of ${dialect === 'semver' ? 'semantic versions' : 'versions'} such as ">= 1.2.0, < 2.0.0"`
      : undefined,
  test: (right) => {
    const range = right === undefined ? undefined : readVersionRange(right, dialect)
    return (left) => range !== undefined && left !== undefined && isInRange(left, range, dialect)
  },
})

const regexp: Operand = {
  right: 'needed',
  problem: (right) => {
    try {
      compileRegex(right)
      return undefined
    } catch (error) {
      return `has an invalid regular expression: ${error instanceof Error ? error.message : String(error)}`
    }
  },
  test: (right) => {
    if (right === undefined) return () => false
    try {
      const regex = compileRegex(right)
      return (left) => left !== undefined && regex.test(left)
    } catch {
      // Otherwise the job would run on nodes that it excludes.
      return () => false
    }
  },
}

const sets = (matches: (wanted: readonly string[], has: ReadonlySet<string>) => boolean): Operand => ({
  right: 'needed',
  test: (right) => {
    const wanted = right === undefined ? undefined : items(right)
    return (left) => wanted !== undefined && left !== undefined && matches(wanted, new Set(items(left)))
  },
})
const items = (text: string): readonly string[] => text.split(',').map((item) => item.trim())
const all = sets((wanted, has) => wanted.every((item) => has.has(item)))

/** Limits the number of allocations over several nodes: not a test of a single one. */
const overNodes = (problem: (right: string) => string | undefined): Operand => ({
  right: 'optional',
  problem,
  test: () => () => true,
})

/** All operands; others are refused when a job is written, and match no node. */
export const operands: Readonly<Record<string, Operand>> = {
  '=': equal,
  '==': equal,
  is: equal,
  '!=': unequal,
  not: unequal,
  '<': ordered((order) => order < 0),
  '<=': ordered((order) => order <= 0),
  '>': ordered((order) => order > 0),
  '>=': ordered((order) => order >= 0),
  regexp,
  version: versions('lenient'),
  semver: versions('semver'),
  set_contains: all,
  set_contains_all: all,
  set_contains_any: sets((wanted, has) => wanted.some((item) => has.has(item))),
  is_set: { right: 'none', test: () => (left) => left !== undefined },
  is_not_set: { right: 'none', test: () => (left) => left === undefined },
  distinct_hosts: overNodes((right) =>
    right === '' || /^(true|false)$/i.test(right)
      ? undefined
      : `has ${JSON.stringify(shortened(right))}, neither true nor false`,
  ),
  distinct_property: overNodes((right) =>
    right === '' || /^[1-9]\d{0,9}$/.test(right)
      ? undefined
      : `has ${JSON.stringify(shortened(right))}, not a whole number of at least 1: how many allocations may share a value`,
  ),
}

/** The operands that are about several nodes together. */
export const isOverNodes = (operand: string): operand is 'distinct_hosts' | 'distinct_property' =>
  operand === 'distinct_hosts' || operand === 'distinct_property'
