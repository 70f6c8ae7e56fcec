import type { Expression, Match, Quantifier, Selector } from './ast.ts'
import { closureOf } from './closures.ts'
import type { Context } from './context.ts'
import {
  type FastPath,
  fastPathOf,
  fastReadOf,
  type ListTest,
  type NumberTest,
  type StringTest,
} from './fast-path.ts'
import { findName, type Names, namesOf } from './names.ts'

/** What generated code offers: one test, and the same test inside the loop over many rows. */
export interface Generated {
  readonly test: (datum: unknown) => boolean
  readonly select: (rows: readonly unknown[]) => unknown[]
}

/** Whether this host lets text become code: a page's content security policy may forbid it. */
export function mayGenerate(): boolean {
  try {
    return new Function('return true')() === true
  } catch {
    return false
  }
}

/**
 * Writes an expression as JavaScript and compiles it.
 *
 * What the caller wrote enters the source only as JSON literals; everything else is a constant, reached by its
 * number. Whatever the fast path does not decide is left to the closures, which are such constants.
 */
export function generate(expression: Expression, context: Context): Generated {
  const { parameters, source, constants } = sourceOf(expression, context)
  const make: unknown = new Function(...parameters, source)
  // The source returns exactly this object: see sourceOf.
  return (make as (...values: unknown[]) => Generated)(Object.prototype, Object.getPrototypeOf, constants)
}

/** The text of the generated code, apart so that a test can look at it. */
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
  const keys = [...writer.rootKeys]
  const polluted = keys.map((key) => ` || inherited[${key}] !== undefined`).join('')
  // One property is read before the prototype is asked for: then the engine knows the object's shape.
  const look = keys[0] === undefined ? '' : `v = d[${keys[0]}], `
  const guard = `typeof d !== 'object' || d === null || (${look}(p = prototypeOf(d)) !== null && (p !== inherited${polluted}))`
  const source = `'use strict';
${writer.constants.map((_, index) => `const c${index} = constants[${index}];`).join('\n')}
${writer.functions.join('\n')}
return {
  test(d) {
    let o, v, p;
    if (${guard}) return ${slow}(d, undefined);
    return ${condition};
  },
  select(rows) {
    const selected = [], { length } = rows;
    let o, v, p;
    for (let at = 0; at < length; at += 1) {
      const d = rows[at];
      if (${guard} ? ${slow}(d, undefined) : ${condition}) selected.push(d);
    }
    return selected;
  },
};`
  return { parameters: ['inherited', 'prototypeOf', 'constants'], source, constants: writer.constants }
}

class Writer {
  readonly constants: unknown[] = []
  readonly functions: string[] = []
  /** Properties read from the datum itself, whose prototype is looked at once. */
  readonly rootKeys = new Set<string>()
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
      default:
        return this.#quantifier(node, names)
    }
  }

  #match(match: Match, names: Names | undefined): string {
    const general = `${this.constant(closureOf({ ...match, negated: false }, this.#context, names))}(d, ${scopeText(names)})`
    const fast = fastPathOf(match, this.#context, names)
    const from = this.#start(match.selector, names)
    const positive =
      fast === undefined || from === undefined
        ? general
        : this.#walk(fast.keys, from, this.#decide(fast, general, names), general, fast.missing)
    return match.negated ? `!${positive}` : `(${positive})`
  }

  /** The variable a selector starts at; `undefined` where a quantifier's name may be a key. */
  #start(selector: Selector, names: Names | undefined): string | undefined {
    const found = findName(selector, names)
    if (found === undefined) return 'd'
    return found.role === 'key' ? undefined : `e${depthOf(names) - 1 - found.depth}`
  }

  /** Reads keys one after the other into `v`, as long as each comes from a plain object. */
  #walk(
    [name, ...rest]: readonly string[],
    from: string,
    then: string,
    otherwise: string,
    missing: boolean | undefined,
  ): string {
    if (name === undefined) return `(v = ${from}, ${then})`
    const key = JSON.stringify(name)
    const found = missing === undefined ? then : `v === undefined ? ${missing} : ${then}`
    const next = rest.length === 0 ? found : `o = v, ${this.#walk(rest, 'o', then, otherwise, missing)}`
    if (from === 'd') {
      this.rootKeys.add(key)
      return `(v = d[${key}], ${next})`
    }
    return `(typeof ${from} === 'object' && ${from} !== null && (v = ${from}[${key}], ((p = prototypeOf(${from})) === null || (p === inherited && inherited[${key}] === undefined))) ? (${next}) : ${otherwise})`
  }

  #decide(fast: FastPath, general: string, names: Names | undefined): string {
    const { string, number, boolean, list } = fast
    let text = general
    if (list !== undefined) text = `Array.isArray(v) ? ${this.#list(list, general, names)} : ${text}`
    if (boolean !== undefined) text = `typeof v === 'boolean' ? v === ${boolean} : ${text}`
    if (number !== undefined) text = `typeof v === 'number' ? ${this.#number(number)} : ${text}`
    if (string !== undefined) text = `typeof v === 'string' ? ${this.#string(string)} : ${text}`
    return `(${text})`
  }

  #string(test: StringTest): string {
    switch (test.op) {
      case 'equals':
        return `v === ${JSON.stringify(test.text)}`
      case 'includes':
        return `v.includes(${JSON.stringify(test.text)})`
      case 'one of':
        return test.texts.length > 8 ? `${this.constant(new Set(test.texts))}.has(v)` : oneOf(test.texts)
      case 'matches':
        return `${this.constant(test.regex)}.test(v)`
      default:
        return `v === ''`
    }
  }

  #number(test: NumberTest): string {
    if (test.op === 'one of') return oneOf(test.numbers)
    return `v ${test.op === '==' ? '===' : test.op} ${literalText(test.number)}`
  }

  #list(test: ListTest, general: string, names: Names | undefined): string {
    if (test.op === 'empty') return 'v.length === 0'
    const { element } = test
    return this.#call(
      `for (let i = 0; i < list.length; i += 1) { const item = list[i]; if (item === ${literalText(element)}) return true; if (typeof item !== '${typeof element}') return ${general}; } return false;`,
      names,
    )
  }

  /** The call of a function of its own, which goes through the list that is in `v`. */
  #call(body: string, names: Names | undefined): string {
    const name = `f${this.functions.length}`
    const parameters = scopeParameters(names)
    this.functions.push(`function ${name}(list, ${parameters}) { ${body} }`)
    return `${name}(v, ${parameters})`
  }

  #quantifier(quantifier: Quantifier, names: Names | undefined): string {
    const general = `${this.constant(closureOf(quantifier, this.#context, names))}(d, ${scopeText(names)})`
    const read = fastReadOf(quantifier.selector, this.#context, names)
    const from = this.#start(quantifier.selector, names)
    const sameNames = quantifier.key !== null && quantifier.key === quantifier.value
    if (read === undefined || read.shape.type === 'pointer' || from === undefined || sameNames) return general
    const inner = namesOf(quantifier, this.#context, names)
    // Lists only: a list's index and element are at hand here, a map's are left to the closures.
    if (inner.over === 'map') return general
    const level = depthOf(names)
    const body = this.expression(quantifier.body, { ...inner, over: 'list' })
    const any = quantifier.type === 'any'
    const call = this.#call(
      `let o, v, p; for (let i${level} = 0; i${level} < list.length; i${level} += 1) { const e${level} = list[i${level}]; if (${any ? '' : '!'}${body}) return ${any}; } return ${!any};`,
      names,
    )
    return this.#walk(read.keys, from, `(Array.isArray(v) ? ${call} : ${general})`, general, undefined)
  }
}

const depthOf = (names: Names | undefined): number => {
  let depth = 0
  for (let at = names; at !== undefined; at = at.outer) depth += 1
  return depth
}

/** The datum, and each quantifier's element and index: what a function of the generated code is handed. */
const scopeParameters = (names: Names | undefined): string =>
  ['d', ...Array.from({ length: depthOf(names) }, (_, level) => `e${level}, i${level}`)].join(', ')

/** The scope object that the closures take, made only where they are called. */
const scopeText = (names: Names | undefined): string =>
  Array.from({ length: depthOf(names) }).reduce<string>(
    (outer, _, level) => `{ key: i${level}, element: e${level}, outer: ${outer} }`,
    'undefined',
  )

/** Behind a sign or a word, a number may be negative. */
const literalText = (value: string | number): string =>
  typeof value === 'string' ? JSON.stringify(value) : `(${value})`

const oneOf = (values: readonly (string | number)[]): string =>
  `(${values.map((value) => `v === ${literalText(value)}`).join(' || ') || 'false'})`
