import type { Check, FastCheck } from './context.ts'
import { type FastPath, fastPathOf, type ListTest, type NumberTest, type StringTest } from './fast-path.ts'
import { findName } from './names.ts'
import { type Reader, type Row, readerOf } from './readers.ts'

/** What one value answers, or `undefined` where the general test must say. */
type Decide = (value: unknown) => boolean | undefined

/** Tries the fast path of a comparison, from the datum or from a quantifier's element, before its general check. */
export const fastCheck: FastCheck = (match, context, names, general) => {
  const fast = fastPathOf(match, context, names)
  if (fast === undefined) return general
  const found = findName(match.selector, names)
  if (found === undefined) return fromDatum(fast, match.negated, general)
  const decide = decideFrom(fast)
  const { depth, role } = found
  return (datum, innermost) => {
    let scope = innermost
    for (let out = 0; out < depth; out += 1) scope = scope?.outer
    const isElement = role === 'value' || typeof scope?.key === 'number'
    const answer = isElement ? decide(scope?.element) : undefined
    return answer === undefined ? general(datum, innermost) : answer !== match.negated
  }
}

function fromDatum(fast: FastPath, negated: boolean, slow: Check): Check {
  const [first, second] = fast.keys
  const [readFirst, readSecond] = fast.keys.map(readerOf)
  if (first !== undefined && readFirst !== undefined) {
    if (fast.keys.length === 1) return atDatum(fast, first, readFirst, negated, slow)
    if (second !== undefined && readSecond !== undefined && fast.keys.length === 2) {
      return belowDatum(fast, first, readFirst, second, readSecond, negated, slow)
    }
  }
  const decide = decideFrom(fast)
  return (datum, scope) => {
    const answer = decide(datum)
    return answer === undefined ? slow(datum, scope) : answer !== negated
  }
}

/** The commonest comparisons of a property of the datum, each as one closure. */
function atDatum(fast: FastPath, key: string, read: Reader, negated: boolean, slow: Check): Check {
  const { string, number, boolean, list } = fast
  if (string?.op === 'equals') {
    const { text } = string
    const wanted = number?.op === '==' ? number.number : undefined
    return (datum, scope) => {
      if (typeof datum === 'object' && datum !== null) {
        const value = read(datum as Row, key)
        if (typeof value === 'string') return (value === text) !== negated
        if (typeof value === 'number' && wanted !== undefined) return (value === wanted) !== negated
        if (typeof value === 'boolean' && boolean !== undefined) return (value === boolean) !== negated
      }
      return slow(datum, scope)
    }
  }
  if (list?.op === 'includes') {
    const within = listDecider(list)
    const text = string?.op === 'includes' ? string.text : undefined
    return (datum, scope) => {
      if (typeof datum === 'object' && datum !== null) {
        const value = read(datum as Row, key)
        if (Array.isArray(value)) {
          const answer = within(value)
          if (answer !== undefined) return answer !== negated
        } else if (typeof value === 'string' && text !== undefined) {
          return value.includes(text) !== negated
        }
      }
      return slow(datum, scope)
    }
  }
  if (string?.op === 'matches') {
    const { regex } = string
    return (datum, scope) => {
      const value = typeof datum === 'object' && datum !== null ? read(datum as Row, key) : undefined
      return typeof value === 'string' ? regex.test(value) !== negated : slow(datum, scope)
    }
  }
  const decide = deciderOf(fast)
  return (datum, scope) => {
    const value = typeof datum === 'object' && datum !== null ? read(datum as Row, key) : undefined
    const answer = decide(value)
    return answer === undefined ? slow(datum, scope) : answer !== negated
  }
}

/** A comparison one level below the datum. */
function belowDatum(
  fast: FastPath,
  first: string,
  readFirst: Reader,
  second: string,
  readSecond: Reader,
  negated: boolean,
  slow: Check,
): Check {
  const { missing } = fast
  const decide = deciderOf(fast)
  const text = fast.string?.op === 'equals' ? fast.string.text : undefined
  return (datum, scope) => {
    if (typeof datum === 'object' && datum !== null) {
      const inner = readFirst(datum as Row, first)
      if (typeof inner === 'object' && inner !== null) {
        const value = readSecond(inner as Row, second)
        if (typeof value === 'string' && text !== undefined) return (value === text) !== negated
        const answer = value === undefined ? missing : decide(value)
        if (answer !== undefined) return answer !== negated
      }
    }
    return slow(datum, scope)
  }
}

/** Runs a fast path from any value: the datum, or a quantifier's element. */
function decideFrom(fast: FastPath): Decide {
  const decide = deciderOf(fast)
  const { keys, missing } = fast
  if (keys.length === 0) return decide
  const reads = keys.map(readerOf)
  return (start) => {
    let value = start
    for (let at = 0; at < keys.length; at += 1) {
      const read = reads[at]
      if (typeof value !== 'object' || value === null || read === undefined) return undefined
      value = read(value as Row, keys[at] ?? '')
      if (value === undefined && at < keys.length - 1) return undefined
    }
    return value === undefined ? missing : decide(value)
  }
}

function deciderOf({ string, number, boolean, list }: FastPath): Decide {
  if (string?.op === 'equals') {
    const { text } = string
    const wanted = number?.op === '==' ? number.number : undefined
    return (value) => {
      if (typeof value === 'string') return value === text
      if (typeof value === 'number') return wanted === undefined ? undefined : value === wanted
      return typeof value === 'boolean' && boolean !== undefined ? value === boolean : undefined
    }
  }
  const ofString = string === undefined ? undefined : stringDecider(string)
  const ofNumber = number === undefined ? undefined : numberDecider(number)
  const ofList = list === undefined ? undefined : listDecider(list)
  return (value) => {
    if (typeof value === 'string') return ofString?.(value)
    if (typeof value === 'number') return ofNumber?.(value)
    if (typeof value === 'boolean') return boolean === undefined ? undefined : value === boolean
    return ofList !== undefined && Array.isArray(value) ? ofList(value) : undefined
  }
}

function stringDecider(test: StringTest): (value: string) => boolean {
  switch (test.op) {
    case 'equals':
      return (value) => value === test.text
    case 'includes':
      return (value) => value.includes(test.text)
    case 'one of': {
      const texts = new Set(test.texts)
      return (value) => texts.has(value)
    }
    case 'matches':
      return (value) => test.regex.test(value)
    default:
      return (value) => value === ''
  }
}

function numberDecider(test: NumberTest): (value: number) => boolean {
  switch (test.op) {
    case '==':
      return (value) => value === test.number
    case '<':
      return (value) => value < test.number
    case '<=':
      return (value) => value <= test.number
    case '>':
      return (value) => value > test.number
    case '>=':
      return (value) => value >= test.number
    default:
      return (value) => test.numbers.includes(value) && !Number.isNaN(value)
  }
}

function listDecider(test: ListTest): (list: readonly unknown[]) => boolean | undefined {
  if (test.op === 'empty') return (list) => list.length === 0
  const { element } = test
  if (typeof element === 'number') return (list) => includesNumber(list, element)
  return (list) => includesText(list, element)
}

function includesText(list: readonly unknown[], text: string): boolean | undefined {
  for (let at = 0; at < list.length; at += 1) {
    const item = list[at]
    if (typeof item !== 'string') return undefined
    if (item === text) return true
  }
  return false
}

function includesNumber(list: readonly unknown[], number: number): boolean | undefined {
  for (let at = 0; at < list.length; at += 1) {
    const item = list[at]
    if (typeof item !== 'number') return undefined
    if (item === number) return true
  }
  return false
}
