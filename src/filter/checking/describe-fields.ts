import { nearest } from '../../kernel/nearest.ts'
import { checkOptionNames } from '../../kernel/option-names.ts'
import type { Match, Operator } from '../ast.ts'
import type { Context } from '../evaluating/context.ts'
import { unwrap } from '../kinds/kind-of.ts'
import type { FilterSchema } from '../kinds/schema.ts'
import type { ScalarKind, Shape } from '../kinds/shape.ts'
import { testsOf } from '../operators/table.ts'
import { selectorText } from '../writing/selector-text.ts'
import { type CheckOptions, refutations, schemaContext } from './check.ts'

/**
 * A field with everything a page needs to offer it.
 */
export interface FieldDescription {
  /** How an expression names it: `Status`, `Meta["region.zone"]`; of the items of a list, `Disks.SizeGB`. */
  readonly selector: string
  /** A scalar kind's own name; `any` where each value has its own. */
  readonly kind: ScalarKind | 'list' | 'map' | 'struct' | 'any'
  /** For a list or a map, the kind of its elements. */
  readonly of?: FieldDescription['kind']
  /** The possible strings of the field, or of its elements, if the schema lists them. */
  readonly texts?: readonly string[]
  /** Whether it may be null or absent. */
  readonly optional: boolean
  /** The operators it supports. */
  readonly operators: readonly Operator[]
}

/**
 * Lists the fields of a schema with their operators, as plain data: for a page with completion or a filter builder.
 *
 * @param schema - the zod schema of one datum
 * @returns fields in the order of the schema, each before its nested ones, down to five levels
 *
 * @example
 * ```ts
 * import { describeFields } from 'plinth/filter'
 * import * as z from 'zod'
 *
 * const Job = z.object({ Status: z.enum(['running', 'dead']), Tags: z.array(z.string()).nullable() })
 * const [status, tags] = describeFields(Job)
 * status?.texts // ['running', 'dead']
 * status?.operators // ['==', 'one of', 'in', 'starts with', 'ends with', 'matches', 'is empty', 'is present']
 * tags // { selector: 'Tags', kind: 'list', of: 'string', optional: true, operators: ['in', 'is empty', 'is nil', 'is present', 'count ==', 'count <', 'count <=', 'count >', 'count >='] }
 * ```
 */
export function describeFields(
  schema: FilterSchema,
  options: Pick<CheckOptions, 'kinds'> = {},
): FieldDescription[] {
  checkOptionNames('describeFields', options, { kinds: true }, nearest)
  const context = schemaContext(schema, options, '')
  return fieldsOf(context.shape, [], context, new Map())
}

/** A cache by kind: fields of one kind have the same operators, which are slow to determine. */
type KnownOperators = Map<string, readonly Operator[]>

/** The maximum depth of typed selectors. */
const MAX_LEVELS = 5

function fieldsOf(
  shape: Shape,
  above: readonly string[],
  context: Context,
  known: KnownOperators,
): FieldDescription[] {
  let parent = unwrap(shape)
  while (parent.type === 'list') parent = unwrap(parent.of)
  if (parent.type !== 'struct' || above.length === MAX_LEVELS) return []
  return [...parent.fields].flatMap(([name, { access, shape: below }]) => {
    const path = [...above, name]
    const selector = selectorIfAny(path)
    if (access !== 'open' || selector === undefined) return []
    return [describe(path, selector, below, context, known), ...fieldsOf(below, path, context, known)]
  })
}

/** Some names cannot be written in an expression. */
function selectorIfAny(path: readonly string[]): string | undefined {
  try {
    return selectorText(path)
  } catch {
    return undefined
  }
}

function describe(
  path: readonly string[],
  selector: string,
  shape: Shape,
  context: Context,
  known: KnownOperators,
): FieldDescription {
  const own = unwrap(shape)
  const inner = 'of' in own ? unwrap(own.of) : own
  return {
    selector,
    kind: kindOf(own),
    ...(inner !== own && { of: kindOf(inner) }),
    ...('texts' in inner && { texts: inner.texts }),
    optional: own !== shape,
    operators: operatorsAt(path, shape, context, known),
  }
}

function operatorsAt(
  path: readonly string[],
  shape: Shape,
  context: Context,
  known: KnownOperators,
): readonly Operator[] {
  const kind = kindText(shape)
  const taken = known.get(kind) ?? operators.filter((op) => takes(op, path, context))
  known.set(kind, taken)
  return taken
}

/** The part of a shape that its operators depend on. */
function kindText(shape: Shape): string {
  switch (shape.type) {
    case 'list':
      return `${shape.fixed ? 'fixed ' : ''}list of ${kindText(shape.of)}`
    case 'map':
      return `map by ${shape.intKeys ? 'int' : 'string'} of ${kindText(shape.of)}`
    case 'pointer':
    case 'optional':
      return `${shape.type} ${kindText(shape.of)}`
    default:
      return kindOf(shape)
  }
}

/** The operators that a field of a shape supports. */
export function operatorsOf(shape: Shape): readonly Operator[] {
  const context = schemaContext(anySchema, {}, '')
  const fields = new Map([['x', { property: 'x', shape, access: 'open' as const }]])
  return operators.filter((op) =>
    takes(op, ['x'], { ...context, shape: { type: 'struct', fields, open: false } }),
  )
}

const anySchema: FilterSchema = { _zod: { output: undefined, def: { type: 'any' } } }

const operators = /* @__PURE__ */ Object.keys(testsOf) as readonly Operator[]

/** Whether check accepts an operator for a field, whatever the value. */
function takes(op: Operator, path: readonly string[], context: Context): boolean {
  const operand = {
    type: 'value',
    form: 'string',
    text: op.startsWith('count') ? '0' : '',
    ...nowhere,
  } as const
  const match: Match = {
    type: 'match',
    selector: { path, ...nowhere },
    // It takes two values, of which each is compared so.
    op: op === 'between' ? '>=' : op,
    negated: false,
    operand,
    ignoreCase: false,
    ...nowhere,
  }
  return refutations(match, context).every(({ kind }) => kind !== 'type')
}

const nowhere = { start: 0, end: 0 } as const

const kindOf = (shape: ReturnType<typeof unwrap>): FieldDescription['kind'] =>
  'name' in shape ? shape.name : shape.type
