import type { Match, Selector } from '../ast.ts'
import { type FoundName, findName } from '../kinds/names.ts'
import {
  type Account,
  type Decisions,
  internalized,
  listDecider,
  type NumberTest,
  numberDecider,
  type StringTest,
  stringDecider,
} from '../operators/decision.ts'
import type { Fast } from './context.ts'
import { type FastPath, type FastRead, fastPathOf, fastReadOf } from './fast-path.ts'
import type { Scope } from './predicate.ts'
import { Lacking } from './prototypes.ts'
import { notPlain, type Reader, type Row, readerOf } from './readers.ts'

/** Decides on a value; `undefined` leaves it to the general test. */
type Decide = (value: unknown) => boolean | undefined

/** A check, or the result of the general test for values that it cannot decide. */
type Or<Slow> = (datum: unknown, scope?: Scope) => boolean | Slow

const undecided = (): undefined => undefined

export const fast: Fast = {
  check: (match, negated, context, names, general) => {
    const path = fastPathOf(match, context, names)
    if (path === undefined) return general
    const account: Account = { work: context.work, on: match }
    const found = findName(match.selector, names)
    if (found === undefined) return checkFrom(path, account, match, negated, general)
    const check = checkFrom(path, account, match, negated, undecided)
    const elementOf = elementReader(found)
    return (datum, scope) => check(elementOf(scope)) ?? general(datum, scope)
  },
  oneOf: ({ type, operands }, context, names, general) => {
    const texts: string[] = []
    let path: FastPath | undefined
    for (const operand of operands) {
      if (type !== 'or' || operand.type !== 'match' || operand.negated) return undefined
      const each = findName(operand.selector, names) ? undefined : fastPathOf(operand, context, names)
      const text = equalText(each?.string)
      path ??= each
      if (text === undefined || each?.keys.length !== 1 || each.keys[0] !== path?.keys[0]) return undefined
      texts.push(text)
    }
    const [step] = path === undefined ? [] : stepsOf(path)
    if (step === undefined) return undefined
    const { key, read, lacks } = step
    const [first, second] = texts
    const others = texts.length > 2 ? new Set(texts) : undefined
    return (datum, scope) => {
      const value = typeof datum === 'object' && datum !== null ? read(datum as Row, key, lacks) : notPlain
      if (typeof value !== 'string') return general(datum, scope)
      return value === first || value === second || others?.has(value) === true
    }
  },
  list: (selector, context, names) => {
    const path = fastReadOf(selector, context, names)
    if (path === undefined || path.shape.type === 'pointer') return undefined
    const found = findName(selector, names)
    const steps = stepsOf(path)
    const elementOf = found && elementReader(found)
    return (datum, scope) => {
      let value = elementOf === undefined ? datum : elementOf(scope)
      for (const { key, read, lacks } of steps) {
        if (typeof value !== 'object' || value === null) return undefined
        value = read(value as Row, key, lacks)
      }
      return value
    }
  },
}

/** Reads the element that a quantifier's name refers to; `undefined` if it is a key. */
const elementReader =
  ({ depth, role }: FoundName) =>
  (innermost: Scope | undefined): unknown => {
    let scope = innermost
    for (let out = 0; out < depth; out += 1) scope = scope?.outer
    return role === 'value' || typeof scope?.key === 'number' ? scope?.element : undefined
  }

/** The check of a comparison from any value: the datum, or a quantifier's element. */
function checkFrom<Slow>(
  fast: FastPath,
  account: Account,
  match: Match,
  negated: boolean,
  slow: Or<Slow>,
): Or<Slow> {
  const [step, next] = stepsOf(fast)
  if (step !== undefined && fast.keys.length === 1) return propertyTest(fast, step, account, negated, slow)
  if (step !== undefined && next !== undefined && fast.keys.length === 2) {
    return oneBelow(fast, step, next, account, match.selector, negated, slow)
  }
  const decide = decideFrom(fast, account, match)
  return (datum, scope) => {
    const answer = decide(datum)
    return answer === undefined ? slow(datum, scope) : answer !== negated
  }
}

/** How to read one key of a path. */
interface Step {
  readonly key: string
  readonly read: Reader
  readonly lacks: Lacking
  /** Whether a list before it stands for its items. */
  readonly isList: boolean
}

const stepsOf = ({ keys, lists }: FastRead | FastPath): readonly Step[] =>
  keys.map((key, at) => ({
    key,
    read: readerOf(key),
    lacks: new Lacking([key]),
    isList: lists[at] === true,
  }))

/** The most common comparisons of a property, each written out as one closure: this is the hot path. */
function propertyTest<Slow>(
  fast: FastPath,
  { key, read, lacks }: Step,
  account: Account,
  negated: boolean,
  slow: Or<Slow>,
): Or<Slow> {
  const { string, number, boolean, list, missing } = fast
  const rest = (value: unknown, datum: unknown, scope: Scope | undefined): boolean | Slow =>
    value === undefined && missing !== undefined ? missing !== negated : slow(datum, scope)
  const text = equalText(string)
  if (text !== undefined && list === undefined) {
    const wanted = equalNumber(number)
    return (datum, scope) => {
      const value = typeof datum === 'object' && datum !== null ? read(datum as Row, key, lacks) : notPlain
      if (typeof value === 'string') return (value === text) !== negated
      if (typeof value === 'number' && wanted !== undefined) return (value === wanted) !== negated
      if (typeof value === 'boolean' && boolean !== undefined) return (value === boolean) !== negated
      return rest(value, datum, scope)
    }
  }
  if (list !== undefined && number === undefined && boolean === undefined) {
    const within = listDecider(list, account)
    const holds = string === undefined ? undefined : stringDecider(string, account)
    return (datum, scope) => {
      const value = typeof datum === 'object' && datum !== null ? read(datum as Row, key, lacks) : notPlain
      if (Array.isArray(value)) {
        const answer = within(value)
        if (answer !== undefined) return answer !== negated
      } else if (typeof value === 'string' && holds !== undefined) {
        return holds(value) !== negated
      }
      return rest(value, datum, scope)
    }
  }
  if (string !== undefined && number === undefined && list === undefined) {
    const holds = stringDecider(string, account)
    return (datum, scope) => {
      const value = typeof datum === 'object' && datum !== null ? read(datum as Row, key, lacks) : notPlain
      return typeof value === 'string' ? holds(value) !== negated : rest(value, datum, scope)
    }
  }
  if (number !== undefined && string === undefined && boolean === undefined && list === undefined) {
    const holds = numberDecider(number)
    return (datum, scope) => {
      const value = typeof datum === 'object' && datum !== null ? read(datum as Row, key, lacks) : notPlain
      return typeof value === 'number' ? holds(value) !== negated : rest(value, datum, scope)
    }
  }
  const decide = deciderOf(fast, account)
  return (datum, scope) => {
    const value = typeof datum === 'object' && datum !== null ? read(datum as Row, key, lacks) : notPlain
    const answer = decide(value)
    return answer === undefined ? rest(value, datum, scope) : answer !== negated
  }
}

/** The one string that passes a test; `undefined` if others may. */
const equalText = (test: StringTest | undefined): string | undefined => {
  if (test?.op === 'empty') return ''
  return test?.op === 'equals' && !test.fold ? internalized(test.text) : undefined
}

/** The one number that passes a test; `undefined` if others may. */
const equalNumber = (test: NumberTest | undefined): number | undefined =>
  test?.op === '==' ? test.number : undefined

/** A comparison one level below. */
function oneBelow<Slow>(
  fast: FastPath,
  first: Step,
  second: Step,
  account: Account,
  selector: Selector,
  negated: boolean,
  slow: Or<Slow>,
): Or<Slow> {
  const { missing } = fast
  const decide = deciderOf(fast, account)
  const text = equalText(fast.string)
  const wanted = equalNumber(fast.number)
  const inList = second.isList
    ? someItem(propertyTest(fast, second, account, false, undecided), account, selector)
    : undecided
  return (datum, scope) => {
    if (typeof datum === 'object' && datum !== null) {
      const inner = first.read(datum as Row, first.key, first.lacks)
      if (typeof inner === 'object' && inner !== null) {
        let answer: boolean | undefined
        if (Array.isArray(inner)) answer = inList(inner)
        else {
          const value = second.read(inner as Row, second.key, second.lacks)
          if (typeof value === 'string' && text !== undefined) return (value === text) !== negated
          if (typeof value === 'number' && wanted !== undefined) return (value === wanted) !== negated
          answer = value === undefined ? missing : decide(value)
        }
        if (answer !== undefined) return answer !== negated
      }
    }
    return slow(datum, scope)
  }
}

/** Whether a comparison holds for an item of a list. The general test counts the steps of a list that it decides. */
const someItem =
  (one: Decide, { work }: Account, selector: Selector) =>
  (list: readonly unknown[]): boolean | undefined => {
    for (let at = 0; at < list.length; at += 1) {
      const answer = one(list[at])
      if (answer === undefined) return undefined
      if (answer) {
        work.spend(at + 1, selector)
        return true
      }
    }
    work.spend(list.length, selector)
    return false
  }

/** Runs a fast path of any length. */
function decideFrom(fast: FastPath, account: Account, { selector }: Match): Decide {
  const steps = stepsOf(fast)
  let decide = deciderOf(fast, account)
  for (const [at, step] of [...steps.entries()].reverse()) {
    const { key, read, lacks, isList } = step
    const then = decide
    const one: Decide =
      at === steps.length - 1
        ? propertyTest(fast, step, account, false, undecided)
        : (from) =>
            typeof from === 'object' && from !== null ? then(read(from as Row, key, lacks)) : undefined
    const inList = someItem(one, account, selector)
    decide = isList ? (from) => (Array.isArray(from) ? inList(from) : one(from)) : one
  }
  return decide
}

function deciderOf({ string, number, boolean, list }: Decisions, account: Account): Decide {
  const text = equalText(string)
  if (text !== undefined && list === undefined) {
    const wanted = equalNumber(number)
    return (value) => {
      if (typeof value === 'string') return value === text
      if (typeof value === 'number') return wanted === undefined ? undefined : value === wanted
      return typeof value === 'boolean' && boolean !== undefined ? value === boolean : undefined
    }
  }
  const ofString = string === undefined ? undefined : stringDecider(string, account)
  const ofNumber = number === undefined ? undefined : numberDecider(number)
  const ofList = list === undefined ? undefined : listDecider(list, account)
  return (value) => {
    if (typeof value === 'string') return ofString?.(value)
    if (typeof value === 'number') return ofNumber?.(value)
    if (typeof value === 'boolean') return boolean === undefined ? undefined : value === boolean
    return ofList !== undefined && Array.isArray(value) ? ofList(value) : undefined
  }
}
