import { nearest } from '../../kernel/nearest.ts'
import { checkOptionNames, type OptionNames } from '../../kernel/option-names.ts'
import { systemNow } from '../../kernel/system-env.ts'
import { advise } from '../advising/advise.ts'
import type { Expression, Match, Quantifier, Selector } from '../ast.ts'
import { FilterError, type FilterProblem, problemOf } from '../error.ts'
import type { Context } from '../evaluating/context.ts'
import { knownPatterns } from '../evaluating/patterns.ts'
import { Work } from '../evaluating/work.ts'
import { allScalars, withKinds } from '../kinds/declared-kinds.ts'
import { unwrap } from '../kinds/kind-of.ts'
import { type Names, namesOf, shapeAt } from '../kinds/names.ts'
import { type FilterSchema, shapeOfSchema } from '../kinds/schema.ts'
import { anyShape, type Kinds, type Shape } from '../kinds/shape.ts'
import { fieldTestOf } from '../operators/field-test.ts'
import { patternOf } from '../operators/pattern.ts'
import { literalsOf, testOf } from '../operators/test-of.ts'
import { isBexpr, type ParseOptions, parseOptions } from '../reading/read.ts'
import { sourced } from '../reading/sources.ts'
import { compileRegex } from '../regex/index.ts'
import { format } from '../writing/format.ts'
import { selectorText, stringText } from '../writing/selector-text.ts'
import { unknownSelector } from './unknown-selector.ts'

/**
 * Options of {@link check}.
 */
export interface CheckOptions extends ParseOptions {
  /** Kinds of fields that the schema does not define. */
  readonly kinds?: Kinds | undefined
}

const checkerOptions: OptionNames<CheckOptions> = /* @__PURE__ */ (() => ({ ...parseOptions, kinds: true }))()

/**
 * Finds everything that contradicts a schema: unknown fields, operators that a kind does not support, values that are
 * not of the field's kind, and invalid regular expressions.
 *
 * @param expression - text, or what `parse` returned
 * @param schema - the zod schema of one datum
 * @returns all problems in the order of the text; none if the expression fits. A text that cannot be parsed gives one
 * problem of kind `parse` or `limit`.
 *
 * @example
 * ```ts
 * import { check } from 'plinth/filter'
 * import * as z from 'zod'
 *
 * const Job = z.object({ Status: z.string(), Priority: z.int() })
 * const problems = check('Statsu == "running" and Priority == high', Job)
 * problems.map(({ kind }) => kind) // ['not-found', 'coercion']
 * problems[0]?.suggestion // 'Status'
 * ```
 */
export function check(
  expression: string | Expression,
  schema: FilterSchema,
  options: CheckOptions = {},
): FilterProblem[] {
  checkOptionNames('check', options, checkerOptions, nearest)
  try {
    const { source, ast } = sourced(expression, options, { format, advise })
    return refutations(ast, schemaContext(schema, options, source)).map(problemOf)
  } catch (error) {
    if (error instanceof FilterError) return [problemOf(error)]
    throw error
  }
}

/** The schema of the data of an expression. */
export function schemaContext(schema: FilterSchema, options: CheckOptions, source: string): Context {
  const declared = shapeOfSchema(schema)
  return {
    source,
    patterns: knownPatterns(compileRegex),
    standard: !isBexpr(options),
    scalars: allScalars,
    advise,
    unknown: undefined,
    missing: 'error',
    now: systemNow,
    work: new Work(Infinity, source),
    parameters: options.parameters ?? {},
    shape: options.kinds === undefined ? declared : withKinds(declared, options.kinds),
  }
}

/** Every error that an expression would raise on data of the declared kinds. */
export function refutations(ast: Expression, context: Context): FilterError[] {
  const errors: FilterError[] = []
  const { parameters } = context
  const placed = Object.keys(parameters).length === 0 ? context : { ...context, placeholders: parameters }
  visit(ast, placed, undefined, errors)
  return errors
}

/** Throws the first problem that does not depend on a datum: an invalid pattern, or a contradiction to the schema. */
export function refute(ast: Expression, context: Context, hasSchema: boolean): void {
  const known = hasSchema || context.shape === anyShape ? context : { ...context, shape: anyShape }
  for (const error of refutations(ast, known)) {
    if (error.kind !== 'not-found' || context.unknown === undefined) throw error
  }
}

function visit(node: Expression, context: Context, names: Names | undefined, errors: FilterError[]): void {
  switch (node.type) {
    case 'and':
    case 'or':
      for (const operand of node.operands) visit(operand, context, names, errors)
      return
    case 'not':
      visit(node.operand, context, names, errors)
      return
    case 'match':
      visitMatch(node, context, names, errors)
      return
    case 'any':
    case 'all':
    case 'none':
      visitQuantifier(node, context, names, errors)
      return
    default:
      node satisfies never
  }
}

function visitMatch(match: Match, context: Context, names: Names | undefined, errors: FilterError[]): void {
  const { operand } = match
  const shape = shapeOf(match.selector, context, names, errors)
  if (operand?.type === 'field') {
    const right = shapeOf(operand.selector, context, names, errors)
    const sample = sampleOf(right)
    if (sample === undefined) return
    // Compares samples of both sides, since there is no datum.
    const stand: Context = {
      ...context,
      shape: {
        type: 'struct',
        open: false,
        fields: new Map([['other', { property: 'other', shape: right, access: 'open' }]]),
      },
    }
    const field = { ...operand, selector: { ...operand.selector, path: ['other'] } }
    attempt(shape, errors, (value, kind) =>
      fieldTestOf(match, field, stand, undefined).test(value, kind, { other: sample.value }, undefined),
    )
    return
  }
  const parts: Match[] =
    operand?.type === 'values'
      ? operand.values.map((value) => ({
          ...match,
          op: match.op === 'between' ? '>=' : '==',
          operand: value,
        }))
      : [match]
  // If the kind is unknown, only a pattern can be wrong.
  if (shape.type === 'any' && match.op !== 'matches' && !match.op.startsWith('count')) return
  // A pattern is parsed, but not run, even if the kind of the field is unknown.
  if (match.op === 'matches' && (shape.type === 'any' || unwrap(shape).type === 'string')) {
    if (operand?.type !== 'value' || operand.form !== 'parameter')
      attemptValue(errors, () => patternOf(match, context))
    return
  }
  if (shape.type === 'any') {
    // A count is always compared with a number.
    attemptValue(errors, () => literalsOf(match, context).map((literal) => literal.value('float64')))
    return
  }
  for (const part of parts) {
    const test = testOf(part, context)
    attempt(shape, errors, (value, kind) => test(value, kind, undefined, undefined))
    // go-bexpr accepts any string here.
    const impossible = context.standard ? impossibleText(part, shape, context.source) : undefined
    if (impossible !== undefined) errors.push(impossible)
  }
}

/**
 * The error of a string that a field, or an element of a list, can never have, because its schema lists the possible
 * ones.
 */
function impossibleText(
  { op, operand, ignoreCase }: Match,
  declared: Shape,
  source: string,
): FilterError | undefined {
  const shape = unwrap(declared)
  const one = op === 'in' && shape.type === 'list' ? unwrap(shape.of) : shape
  const texts = (op === '==' || op === 'in') && 'texts' in one ? one.texts : undefined
  if (texts === undefined || operand?.type !== 'value' || operand.form === 'parameter' || ignoreCase)
    return undefined
  if (texts.includes(operand.text)) return undefined
  // Any string can be a part of another.
  if (op === 'in' && one === shape) return undefined
  const near = nearest(operand.text, texts)
  const suggestion = near === undefined ? undefined : stringText(near)
  const hint = suggestion === undefined ? `; it may be ${texts.map(stringText).join(', ')}` : ''
  return new FilterError(
    'coercion',
    `${JSON.stringify(operand.text)} is not a value of this field${hint}`,
    source,
    operand,
    suggestion,
  )
}

/** Tests a sample value of a kind, for the error it may raise. */
function attempt(shape: Shape, errors: FilterError[], test: (value: unknown, shape: Shape) => boolean): void {
  const sample = sampleOf(shape)
  if (sample !== undefined) attemptValue(errors, () => test(sample.value, shape))
}

function attemptValue(errors: FilterError[], test: () => unknown): void {
  try {
    test()
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    errors.push(error)
  }
}

/** A sample value of a kind, to see whether an operator accepts it. */
function sampleOf(declared: Shape): { readonly value: unknown } | undefined {
  const { type } = unwrap(declared)
  return type === 'any' ? undefined : { value: samples[type] ?? 0 }
}

/** For kinds that are not numbers. Times and durations may be strings, which support more operators. */
const samples: Readonly<Partial<Record<Shape['type'], unknown>>> = {
  list: [],
  map: {},
  struct: {},
  string: '',
  bool: false,
  bytes: /* @__PURE__ */ new Uint8Array(),
  time: '1970-01-01T00:00:00Z',
  duration: '0s',
}

function visitQuantifier(
  quantifier: Quantifier,
  context: Context,
  names: Names | undefined,
  errors: FilterError[],
): void {
  const { selector, key, value } = quantifier
  const fail = (message: string) => errors.push(new FilterError('type', message, context.source, selector))
  const { type } = unwrap(shapeOf(selector, context, names, errors))
  if (type !== 'any' && type !== 'list' && type !== 'map' && type !== 'bytes') {
    fail(`${selectorText(selector.path)} is not a list or a map`)
  }
  if (key !== null && key === value) {
    fail(`${JSON.stringify(key)} cannot be used as a placeholder for both the index and the value`)
  }
  visit(quantifier.body, context, namesOf(quantifier, context, names), errors)
}

/** The kind of a selector's value; for an unknown field `any`, and an error is added. */
function shapeOf(
  selector: Selector,
  context: Context,
  names: Names | undefined,
  errors: FilterError[],
): Shape {
  const unknown = unknownSelector(selector, context, names)
  if (unknown === undefined) return shapeAt(selector, context, names)
  errors.push(unknown)
  return anyShape
}
