import type { Expression, Match, Quantifier, Range, Selector } from '../ast.ts'
import { needsBudget, turnCost } from '../evaluating/budget.ts'
import { checkRows } from '../evaluating/check-rows.ts'
import { closureOf } from '../evaluating/closures.ts'
import type { Context } from '../evaluating/context.ts'
import { type FastPath, fastPathOf, fastReadOf } from '../evaluating/fast-path.ts'
import { Lacking } from '../evaluating/prototypes.ts'
import { shortText } from '../evaluating/work.ts'
import { fold, foldsTo } from '../kinds/fold.ts'
import { findName, type Names, namesOf } from '../kinds/names.ts'
import type { ListTest, NumberTest, StringTest, TextSearch } from '../operators/decision.ts'
import { searches } from '../operators/decision.ts'

/** The functions of generated code: one test, and the same test inside a loop over many rows. */
export interface Generated {
  readonly test: (datum: unknown) => boolean
  readonly select: (rows: readonly unknown[]) => unknown[]
}

/** Whether this host allows code generation: a page's content security policy may forbid it. */
export function mayGenerate(): boolean {
  try {
    return new Function('return true')() === true
  } catch {
    return false
  }
}

/**
 * Generates JavaScript for an expression and compiles it.
 *
 * The caller's text enters the source only as JSON literals; everything else is a numbered constant. The generated code
 * leaves every case outside its fast path to the closures, which are such constants.
 */
export function generate(expression: Expression, context: Context): Generated {
  const { parameters, source, constants } = sourceOf(expression, context)
  const make: unknown = new Function(...parameters, source)
  // The source returns exactly this object: see sourceOf.
  return (make as (...values: unknown[]) => Generated)(
    Object.prototype,
    Object.getPrototypeOf,
    context.work,
    constants,
  )
}

/** The source of the generated code, separate so that a test can inspect it. */
export function sourceOf(
  expression: Expression,
  context: Context,
): {
  readonly parameters: readonly string[]
  readonly source: string
  readonly constants: readonly unknown[]
} {
  const writer = new Writer(context)
  const slow = writer.constant(closureOf(expression, context))
  const condition = writer.expression(expression, undefined)
  const checked = writer.constant(checkRows)
  const keys = [...writer.rootKeys]
  const lacking = writer.constant(new Lacking(keys))
  const clean = cleanText(keys)
  const begin = needsBudget(expression, context) ? `w.left = ${context.work.steps}; ` : ''
  const own = `(${readFirst('d', writer.firstKey ?? keys[0])}p = prototypeOf(d)) === inherited || p === ${lacking}.last || ${lacking}.learn(d, p)`
  const guard = `typeof d !== 'object' || d === null || !(${own})`
  const source = `'use strict';
${writer.constants.map((_, index) => `const c${index} = constants[${index}];`).join('\n')}
${writer.functions.join('\n')}
return {
  test(d) {
    let o, v, p;
    ${begin}if (!(${clean}) || ${guard}) return ${slow}(d);
    return ${condition};
  },
  select(rows) {
    ${checked}(rows);
    const selected = [], { length } = rows, clean = ${clean};
    let o, v, p;
    for (let at = 0; at < length; at += 1) {
      const d = rows[at];
      ${begin}if (!clean || ${guard} ? ${slow}(d) : ${condition}) selected.push(d);
    }
    return selected;
  },
};`
  return { parameters: ['inherited', 'prototypeOf', 'w', 'constants'], source, constants: writer.constants }
}

class Writer {
  readonly constants: unknown[] = []
  readonly functions: string[] = []
  /** Properties read from the datum itself, whose prototype is checked once. */
  readonly rootKeys = new Set<string>()
  /** The property of the datum that is always read first: the guard reads it. */
  firstKey: string | undefined
  #isFirst = true
  /** Properties read from the elements of each quantifier, outermost first. */
  readonly #elementKeys: Set<string>[] = []
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  constant(value: unknown): string {
    this.constants.push(value)
    return `c${this.constants.length - 1}`
  }

  expression(node: Expression, names: Names | undefined): string {
    switch (node.type) {
      case 'and':
      case 'or': {
        const operands = node.operands.map((operand) => this.expression(operand, names))
        return `(${operands.join(node.type === 'and' ? ' && ' : ' || ')})`
      }
      case 'not':
        return `!${this.expression(node.operand, names)}`
      case 'match':
        return this.#match(node, names)
      case 'any':
      case 'all':
      case 'none':
        return this.#quantifier(node, names)
      default:
        return node satisfies never
    }
  }

  /** The parts that closures evaluate. */
  #general(node: Expression, names: Names | undefined): string {
    const closure = this.constant(closureOf(node, this.#context, names))
    if (names === undefined) return `${closure}(d)`
    return this.#function(undefined, `return ${closure}(d, ${scopeText(names)});`, names)
  }

  /** Counts steps, and throws if there are too many. */
  #spend(steps: string | number, on: Range): string {
    return `((w.left -= ${steps}) < 0 && w.over(${this.constant({ start: on.start, end: on.end })}))`
  }

  /** Whether this is the leftmost comparison, which every row is tested with. */
  #takeFirst(): boolean {
    const isFirst = this.#isFirst
    this.#isFirst = false
    return isFirst
  }

  #match(match: Match, names: Names | undefined): string {
    const isFirst = this.#takeFirst()
    // Of the match as it is written, whose errors suggest a correction.
    const general = `${match.negated ? '!' : ''}${this.#general(match, names)}`
    const fast = fastPathOf(match, this.#context, names)
    const from = this.#start(match.selector, names)
    const positive =
      fast === undefined || from === undefined
        ? general
        : this.#walk(
            {
              ...fast,
              names,
              general,
              isFirst,
              selector: match.selector,
              decide: (undecided, otherwise) => this.#decide(fast, match, undecided, otherwise, names),
            },
            0,
            from,
          )
    return match.negated ? `!${positive}` : `(${positive})`
  }

  /** The variable a selector starts at; `undefined` if a quantifier's name may be a key. */
  #start(selector: Selector, names: Names | undefined): string | undefined {
    const found = findName(selector, names)
    if (found === undefined) return 'd'
    return found.role === 'key' ? undefined : `e${depthOf(names) - 1 - found.depth}`
  }

  /** Reads keys in order into `v`, as long as each is the object's own; through lists where that may be. */
  #walk(path: Path, at: number, from: string): string {
    const { keys, general, missing, lists } = path
    const name = keys[at]
    if (name === undefined) return `(v = ${from}, ${path.decide(general, general)})`
    const key = JSON.stringify(name)
    const isLast = at === keys.length - 1
    const isMissing = `v === undefined && ${from.startsWith('e') ? `g${from.slice(1)} === 2` : 'p === inherited'}`
    const otherwise = missing === undefined || !isLast ? general : `${isMissing} ? ${missing} : ${general}`
    const next = isLast ? path.decide(general, otherwise) : `o = v, ${this.#walk(path, at + 1, 'o')}`
    if (from === 'd') {
      this.rootKeys.add(name)
      if (!path.isFirst) return `(v = d[${key}], ${next})`
      this.firstKey = name
      return `(${next})`
    }
    const level = from.startsWith('e') ? from.slice(1) : undefined
    if (level !== undefined) {
      this.#elementKeys[Number(level)]?.add(name)
      const rest = lists[at] === true ? this.#items(path, at, from) : general
      return `(g${level} ? (v = ${from}[${key}], ${next}) : ${rest})`
    }
    const lacking = this.constant(new Lacking([name]))
    const clean = from === 'i' ? 'clean' : `inherited[${key}] === undefined`
    const instance = `p === ${lacking}.last || ${lacking}.learn(${from}, p)`
    const own = `((${readFirst(from, name)}p = prototypeOf(${from})) === inherited || ${instance}) && ${clean}`
    const read = `typeof ${from} === 'object' && ${from} !== null && ${own} ? (${next}) : ${general}`
    // Checking for a list is faster than checking the prototype.
    return lists[at] === true
      ? `(Array.isArray(${from}) ? ${this.#items(path, at, from)} : ${read})`
      : `(${read})`
  }

  /** The call of a function that tests each item of a list. */
  #items(path: Path, at: number, from: string): string {
    const { general, names, selector } = path
    const lists = path.lists.map((isList, index) => isList && index !== at)
    const one = this.#walk({ ...path, lists, general: 'undefined' }, at, 'i')
    return this.#function(
      from,
      `if (!Array.isArray(list)) return ${general}; let o, v, p; const clean = ${cleanText([path.keys[at] ?? ''])}; for (let n = 0; n < list.length; n += 1) { const i = list[n]; const a = ${one}; if (a === undefined) return ${general}; if (a) { ${this.#spend('n + 1', selector)}; return true; } } ${this.#spend('list.length', selector)}; return false;`,
      names,
    )
  }

  #decide(
    fast: FastPath,
    match: Match,
    general: string,
    otherwise: string,
    names: Names | undefined,
  ): string {
    const { string, number, boolean, list } = fast
    let text = otherwise
    if (list !== undefined) text = `Array.isArray(v) ? ${this.#list(list, match, general, names)} : ${text}`
    if (boolean !== undefined) text = `typeof v === 'boolean' ? v === ${boolean} : ${text}`
    const ofNumber = number && ((rest: string) => `typeof v === 'number' ? ${this.#number(number)} : ${rest}`)
    const ofString =
      string && ((rest: string) => `typeof v === 'string' ? ${this.#string(string, match)} : ${rest}`)
    // What looks like a number is most often compared with one.
    for (const wrap of number === undefined ? [ofString] : [ofString, ofNumber]) text = wrap?.(text) ?? text
    return `(${text})`
  }

  #string(test: StringTest, match: Match): string {
    switch (test.op) {
      case 'equals': {
        const text = JSON.stringify(test.text)
        return test.fold ? `${this.constant(foldsTo)}(v, ${text})` : `v === ${text}`
      }
      case 'includes':
      case 'starts':
      case 'ends':
        return this.#search(test, match)
      case 'one of':
        if (test.fold) return `${this.constant(new Set(test.texts))}.has(${this.constant(fold)}(v))`
        return test.texts.length > 8 ? `${this.constant(new Set(test.texts))}.has(v)` : oneOf(test.texts)
      case 'matches':
        return `(${this.#spend('v.length', match)}, ${this.constant(test.regex)}.test(v))`
      case 'empty':
        return `v === ''`
      default:
        return test satisfies never
    }
  }

  #search(test: TextSearch, match: Match): string {
    const text = JSON.stringify(test.text)
    const spend = `v.length >= ${shortText} && ${this.#spend('v.length >> 3', match)}`
    if (test.fold)
      return `(${spend}, ${this.constant(searches[test.op])}(${this.constant(fold)}(v), ${text}))`
    if (test.op !== 'includes') return `v.${test.op}With(${text})`
    // The host's search of a long string may take time proportional to the product of both lengths.
    return `(v.length < ${shortText} ? v.includes(${text}) : (${spend}, ${this.constant(searches.includes)}(v, ${text})))`
  }

  #number(test: NumberTest): string {
    switch (test.op) {
      case 'one of': {
        const { numbers } = test
        return numbers.length > 8 ? `(${this.constant(new Set(numbers))}.has(v) && v === v)` : oneOf(numbers)
      }
      case 'between':
        return `(v >= ${literalText(test.least)} && v <= ${literalText(test.most)})`
      default:
        return `v ${test.op === '==' ? '===' : test.op} ${literalText(test.number)}`
    }
  }

  #list(test: ListTest, match: Match, general: string, names: Names | undefined): string {
    if (test.op === 'length')
      return `v.length ${test.order === '==' ? '===' : test.order} ${literalText(test.than)}`
    const { element } = test
    const text = literalText(element)
    const equal = test.fold ? `${this.constant(foldsTo)}(i, ${text})` : `i === ${text}`
    return this.#function(
      'v',
      `for (let n = 0; n < list.length; n += 1) { const i = list[n]; if (typeof i !== '${typeof element}') return ${general}; if (${equal}) { ${this.#spend('n + 1', match)}; return true; } } ${this.#spend('list.length', match)}; return false;`,
      names,
    )
  }

  /** The call of a separate function; what goes through a list is given the list first. */
  #function(list: string | undefined, body: string, names: Names | undefined): string {
    const name = `f${this.functions.length}`
    const scope = scopeParameters(names)
    this.functions.push(`function ${name}(${list === undefined ? '' : 'list, '}${scope}) { ${body} }`)
    return `${name}(${list === undefined ? '' : `${list}, `}${scope})`
  }

  /** How to read the properties of an element: not directly (0), as a class instance's (1) or a plain object's (2). */
  #elementText(level: number, keys: ReadonlySet<string>): string {
    if (keys.size === 0) return '0'
    const lacking = this.constant(new Lacking([...keys]))
    const element = `e${level}`
    const [first] = keys
    return `typeof ${element} !== 'object' || ${element} === null ? 0 : (${readFirst(element, first)}p = prototypeOf(${element})) === inherited ? (clean ? 2 : 0) : clean && (p === ${lacking}.last || ${lacking}.learn(${element}, p)) ? 1 : 0`
  }

  #quantifier(quantifier: Quantifier, names: Names | undefined): string {
    const { type, selector, key, value } = quantifier
    const isFirst = this.#takeFirst()
    const general = this.#general(quantifier, names)
    const read = fastReadOf(selector, this.#context, names)
    const from = this.#start(selector, names)
    const sameNames = key !== null && key === value
    if (read === undefined || read.shape.type === 'pointer' || from === undefined || sameNames) return general
    const inner = namesOf(quantifier, this.#context, names)
    // Lists only: a list's index and element are available here, a map's are left to the closures.
    if (inner.over === 'map') return general
    const level = depthOf(names)
    const keys = new Set<string>()
    this.#elementKeys[level] = keys
    const body = this.expression(quantifier.body, { ...inner, over: 'list' })
    const wanted = type !== 'all'
    const spend = this.#spend(turnCost(quantifier.body), quantifier)
    const call = this.#function(
      'v',
      `let o, v, p; ${keys.size === 0 ? '' : `const clean = ${cleanText([...keys])}; `}for (let i${level} = 0; i${level} < list.length; i${level} += 1) { const e${level} = list[i${level}], g${level} = ${this.#elementText(level, keys)}; ${spend}; if (${wanted ? '' : '!'}${body}) return ${type === 'any'}; } return ${type !== 'any'};`,
      names,
    )
    const path: Path = {
      ...read,
      lists: [],
      missing: undefined,
      general,
      isFirst,
      names,
      selector,
      decide: (_, otherwise) => `(Array.isArray(v) ? ${call} : ${otherwise})`,
    }
    return this.#walk(path, 0, from)
  }
}

/**
 * Reads the next property into `v` before the prototype is asked for: where objects have few shapes, the host then knows
 * the prototype of each without a call, which is half the time of a test. What is read is used if it is the object's own.
 */
const readFirst = (object: string, key: string | undefined): string =>
  key === undefined ? '' : `v = ${object}[${JSON.stringify(key)}], `

/** Whether no object inherits any of these names from `Object.prototype`. */
const cleanText = (keys: readonly string[]): string =>
  keys.map((key) => `inherited[${JSON.stringify(key)}] === undefined`).join(' && ') || 'true'

/** The code that reads a value, and what is left to the closures. */
interface Path extends Pick<FastPath, 'keys' | 'lists' | 'missing'> {
  /** The result if the fast path cannot decide. */
  readonly general: string
  /** Whether the guard has read the first key already. */
  readonly isFirst: boolean
  readonly names: Names | undefined
  readonly selector: Selector
  /** What is tested of the value in `v` at the end. */
  readonly decide: (general: string, otherwise: string) => string
}

const depthOf = (names: Names | undefined): number => {
  let depth = 0
  for (let at = names; at !== undefined; at = at.outer) depth += 1
  return depth
}

/** The datum, and each quantifier's element and index: the arguments of a function in the generated code. */
const scopeParameters = (names: Names | undefined): string =>
  ['d', ...Array.from({ length: depthOf(names) }, (_, level) => `e${level}, i${level}, g${level}`)].join(', ')

/** The scope object for the closures, created only where they are called. */
const scopeText = (names: Names | undefined): string =>
  Array.from({ length: depthOf(names) }).reduce<string>(
    (outer, _, level) => `{ key: i${level}, element: e${level}, outer: ${outer} }`,
    'undefined',
  )

/** After an operator or a word, a number may be negative. */
const literalText = (value: string | number): string =>
  typeof value === 'string' ? JSON.stringify(value) : `(${value})`

const oneOf = (values: readonly (string | number)[]): string =>
  `(${values.map((value) => `v === ${literalText(value)}`).join(' || ') || 'false'})`
