import type { Match } from '../ast.ts'
import { findName } from '../kinds/names.ts'
import {
  type Account,
  type Decisions,
  listDecider,
  numberDecider,
  stringDecider,
} from '../operators/decision.ts'
import type { Check, FastCheck } from './context.ts'
import { type FastPath, fastPathOf } from './fast-path.ts'
import { Lacking } from './prototypes.ts'
import { type Reader, type Row, readerOf } from './readers.ts'

/** What one value answers, or `undefined` where the general test must say. */
type Decide = (value: unknown) => boolean | undefined

/** Tries the fast path of a comparison, from the datum or from a quantifier's element, before its general check. */
export const fastCheck: FastCheck = (match, context, names, general) => {
  const fast = fastPathOf(match, context, names)
  if (fast === undefined) return general
  const account: Account = { work: context.work, on: match }
  const found = findName(match.selector, names)
  if (found === undefined) return fromDatum(fast, account, match, general)
  const decide = decideFrom(fast, account, match)
  const { depth, role } = found
  return (datum, innermost) => {
    let scope = innermost
    for (let out = 0; out < depth; out += 1) scope = scope?.outer
    const isElement = role === 'value' || typeof scope?.key === 'number'
    const answer = isElement ? decide(scope?.element) : undefined
    return answer === undefined ? general(datum, innermost) : answer !== match.negated
  }
}

function fromDatum(fast: FastPath, account: Account, match: Match, slow: Check): Check {
  const [step, next] = stepsOf(fast)
  const { negated } = match
  if (step !== undefined && fast.keys.length === 1) return atDatum(fast, step, account, negated, slow)
  if (step !== undefined && next !== undefined && fast.keys.length === 2 && !next.isList) {
    return belowDatum(fast, step, next, account, negated, slow)
  }
  const decide = decideFrom(fast, account, match)
  return (datum, scope) => {
    const answer = decide(datum)
    return answer === undefined ? slow(datum, scope) : answer !== negated
  }
}

/** How one key of a path is read. */
interface Step {
  readonly key: string
  readonly read: Reader
  readonly lacks: Lacking
  /** Whether a list in front of it stands for its items. */
  readonly isList: boolean
}

const stepsOf = ({ keys, lists }: FastPath): readonly Step[] =>
  keys.map((key, at) => ({
    key,
    read: readerOf(key),
    lacks: new Lacking([key]),
    isList: lists[at] === true,
  }))

/** The commonest comparisons of a property of the datum, each as one closure. */
function atDatum(
  fast: FastPath,
  { key, read, lacks }: Step,
  account: Account,
  negated: boolean,
  slow: Check,
): Check {
  const { string, number, boolean, list } = fast
  if (string?.op === 'equals' && !string.fold) {
    const { text } = string
    const wanted = number?.op === '==' ? number.number : undefined
    return (datum, scope) => {
      if (typeof datum === 'object' && datum !== null) {
        const value = read(datum as Row, key, lacks)
        if (typeof value === 'string') return (value === text) !== negated
        if (typeof value === 'number' && wanted !== undefined) return (value === wanted) !== negated
        if (typeof value === 'boolean' && boolean !== undefined) return (value === boolean) !== negated
      }
      return slow(datum, scope)
    }
  }
  if (list?.op === 'includes') {
    const within = listDecider(list, account)
    const holds = string === undefined ? undefined : stringDecider(string, account)
    return (datum, scope) => {
      if (typeof datum === 'object' && datum !== null) {
        const value = read(datum as Row, key, lacks)
        if (Array.isArray(value)) {
          const answer = within(value)
          if (answer !== undefined) return answer !== negated
        } else if (typeof value === 'string' && holds !== undefined) {
          return holds(value) !== negated
        }
      }
      return slow(datum, scope)
    }
  }
  if (string !== undefined && number === undefined && list === undefined) {
    const holds = stringDecider(string, account)
    return (datum, scope) => {
      const value = typeof datum === 'object' && datum !== null ? read(datum as Row, key, lacks) : undefined
      return typeof value === 'string' ? holds(value) !== negated : slow(datum, scope)
    }
  }
  const decide = deciderOf(fast, account)
  return (datum, scope) => {
    const value = typeof datum === 'object' && datum !== null ? read(datum as Row, key, lacks) : undefined
    const answer = decide(value)
    return answer === undefined ? slow(datum, scope) : answer !== negated
  }
}

/** A comparison one level below the datum. */
function belowDatum(
  fast: FastPath,
  first: Step,
  second: Step,
  account: Account,
  negated: boolean,
  slow: Check,
): Check {
  const { missing } = fast
  const decide = deciderOf(fast, account)
  const text = fast.string?.op === 'equals' && !fast.string.fold ? fast.string.text : undefined
  return (datum, scope) => {
    if (typeof datum === 'object' && datum !== null) {
      const inner = first.read(datum as Row, first.key, first.lacks)
      if (typeof inner === 'object' && inner !== null) {
        const value = second.read(inner as Row, second.key, second.lacks)
        if (typeof value === 'string' && text !== undefined) return (value === text) !== negated
        const answer = value === undefined ? missing : decide(value)
        if (answer !== undefined) return answer !== negated
      }
    }
    return slow(datum, scope)
  }
}

/** Runs a fast path from any value: the datum, or a quantifier's element. */
function decideFrom(fast: FastPath, account: Account, { selector }: Match): Decide {
  const steps = stepsOf(fast)
  const { missing } = fast
  const { work } = account
  let decide = deciderOf(fast, account)
  for (const [at, { key, read, lacks, isList }] of [...steps.entries()].reverse()) {
    const then = decide
    const isLast = at === steps.length - 1
    const one: Decide = (from) => {
      if (typeof from !== 'object' || from === null) return undefined
      const value = read(from as Row, key, lacks)
      return value === undefined && isLast ? missing : then(value)
    }
    decide = isList
      ? (from) => {
          if (!Array.isArray(from)) return one(from)
          for (let item = 0; item < from.length; item += 1) {
            const answer = one(from[item])
            // What is not decided here is counted where it is.
            if (answer === undefined) return undefined
            if (answer) {
              work.spend(item + 1, selector)
              return true
            }
          }
          work.spend(from.length, selector)
          return false
        }
      : one
  }
  return decide
}

function deciderOf({ string, number, boolean, list }: Decisions, account: Account): Decide {
  if (string?.op === 'equals' && !string.fold) {
    const { text } = string
    const wanted = number?.op === '==' ? number.number : undefined
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
