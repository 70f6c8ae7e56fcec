import type { Range } from '../ast.ts'
import { searchCost, type Work } from '../evaluating/work.ts'
import { fold, foldsTo } from '../kinds/fold.ts'
import type { Regex } from '../regex/index.ts'
import { holdsText } from './search.ts'

/** How two ordered values compare. */
export type Order = '==' | '<' | '<=' | '>' | '>='

/**
 * What an operator tests on a string, a number, a boolean or a list, as data: the general path and the fast closures
 * interpret it, generated code inlines it. A single definition keeps their results equal.
 */
export interface Decisions {
  readonly string: StringTest | undefined
  readonly number: NumberTest | undefined
  /** The expected boolean. */
  readonly boolean: boolean | undefined
  readonly list: ListTest | undefined
}

/** `fold`: case is ignored, and the strings are folded already. */
export type StringTest =
  | { readonly op: 'equals'; readonly text: string; readonly fold: boolean }
  | TextSearch
  | { readonly op: 'one of'; readonly texts: readonly string[]; readonly fold: boolean }
  | { readonly op: 'matches'; readonly regex: Regex }
  | { readonly op: 'empty' }

export interface TextSearch {
  readonly op: 'includes' | 'starts' | 'ends'
  readonly text: string
  readonly fold: boolean
}

export type NumberTest =
  | { readonly op: Order; readonly number: number }
  | { readonly op: 'between'; readonly least: number; readonly most: number }
  | { readonly op: 'one of'; readonly numbers: readonly number[] }

/** A list is decided here as long as its elements have the one type that can equal the value. */
export type ListTest =
  | { readonly op: 'length'; readonly order: Order; readonly than: number }
  | { readonly op: 'includes'; readonly element: string | number; readonly fold: boolean }

/** For a test that counts its steps. */
export interface Account {
  readonly work: Work
  readonly on: Range
}

/**
 * The same string as the host keeps short strings of JSON and of the program's text: two such strings are compared by address.
 * A part of an expression's text is not one.
 */
export const internalized = (text: string): string => JSON.parse(JSON.stringify(text))

export function stringDecider(test: StringTest, { work, on }: Account): (value: string) => boolean {
  switch (test.op) {
    case 'equals': {
      const text = internalized(test.text)
      return test.fold ? (value) => foldsTo(value, text) : (value) => value === text
    }
    case 'one of': {
      const texts = new Set(test.texts)
      return test.fold ? (value) => texts.has(fold(value)) : (value) => texts.has(value)
    }
    case 'includes':
    case 'starts':
    case 'ends': {
      const holds = searches[test.op]
      const { text } = test
      if (test.fold) {
        return (value) => {
          work.spend(searchCost(value), on)
          return holds(fold(value), text)
        }
      }
      if (test.op !== 'includes') return (value) => holds(value, text)
      return (value) => {
        work.spend(searchCost(value), on)
        return holdsText(value, text)
      }
    }
    case 'matches': {
      const { regex } = test
      return (value) => {
        work.spend(value.length, on)
        return regex.test(value)
      }
    }
    case 'empty':
      return (value) => value === ''
    default:
      return test satisfies never
  }
}

/** How each search in a string is done; also what generated code calls. */
export const searches = {
  includes: holdsText,
  starts: (text: string, start: string) => text.startsWith(start),
  ends: (text: string, end: string) => text.endsWith(end),
}

export function numberDecider(test: NumberTest): (value: number) => boolean {
  if (test.op === 'between') {
    const { least, most } = test
    return (value) => value >= least && value <= most
  }
  if (test.op === 'one of') {
    const numbers = new Set(test.numbers)
    // A set contains NaN, which equals no value.
    return (value) => numbers.has(value) && !Number.isNaN(value)
  }
  const { number } = test
  return orderDecider(test.op, number)
}

export function orderDecider(op: Order, than: number): (value: number) => boolean {
  switch (op) {
    case '==':
      return (value) => value === than
    case '<':
      return (value) => value < than
    case '<=':
      return (value) => value <= than
    case '>':
      return (value) => value > than
    case '>=':
      return (value) => value >= than
    default:
      return op satisfies never
  }
}

/** Undecided at an element of another type than the value's. */
export function listDecider(
  test: ListTest,
  { work, on }: Account,
): (list: readonly unknown[]) => boolean | undefined {
  if (test.op === 'length') {
    const holds = orderDecider(test.order, test.than)
    return (list) => holds(list.length)
  }
  const isText = typeof test.element === 'string'
  const element = typeof test.element === 'string' ? internalized(test.element) : test.element
  const folds =
    typeof element === 'string' && test.fold
      ? (item: unknown) => typeof item === 'string' && foldsTo(item, element)
      : undefined
  return (list) => {
    for (let at = 0; at < list.length; at += 1) {
      const item = list[at]
      if (folds === undefined ? item === element : folds(item)) {
        work.spend(at + 1, on)
        return true
      }
      // The general test counts the steps of a list that it decides.
      if (isText ? typeof item !== 'string' : typeof item !== 'number') return undefined
    }
    work.spend(list.length, on)
    return false
  }
}
