import { unwrap, type ValueKind } from '../kinds/kind-of.ts'
import { anyShape, type Shape } from '../kinds/shape.ts'
import { selectorText, stringText } from '../writing/selector-text.ts'
import type { Advice } from './advice.ts'
import { adviseKind, isNull } from './value-advice.ts'

/** Advises how to declare that a field may be missing. */
export const adviseAbsent: Advice['absent'] = (path) =>
  `; if ${selectorText(path)} may be null or absent, declare it in a schema or kinds, as in { optional: 'any' }`

/** Advises an operator that the kind supports. */
export const adviseUnfit: Advice['unfit'] = (match, kind, value, shape) => {
  const {
    op,
    operand,
    negated,
    ignoreCase,
    selector: { path },
  } = match
  const selector = selectorText(path)
  const written = operand?.type === 'value' ? operand.text : ''
  const text = stringText(written)
  if (op === 'matches' && kind === 'list') {
    return { advice: `; of each element: any ${selector} as item { item matches ${text} }` }
  }
  if (op.startsWith('count')) return { advice: '; count takes a list or a map' }
  if (kind === 'string' && /[<>]/.test(op)) {
    return { advice: `: strings have no order${adviseKind(written, selector)}` }
  }
  const not = negated ? 'not ' : ''
  if (op === 'is true' && kind !== 'invalid') {
    return {
      advice: `; compare it with something, as in ${selector} ${whole.has(kind) ? 'is not empty' : '== …'}`,
    }
  }
  if (op === '==' && isNull(written))
    return { suggestion: `${selector} is ${negated ? 'present' : 'missing'}` }
  if (op === 'is nil' || kind === 'invalid') {
    return { advice: adviseAbsent(path) }
  }
  if (op !== '==') return undefined
  if (kind === 'list') {
    if (!holdsScalars(value, shape)) return undefined
    return {
      suggestion: `${text} ${not}in ${selector}${ignoreCase ? ' ignoring case' : ''}`,
    }
  }
  const parts = kind === 'map' ? 'keys' : kind === 'struct' && 'fields'
  return parts ? { advice: `; compare one of its ${parts}, ${selector}.…` } : undefined
}

/** The kinds that may be empty. */
const whole: ReadonlySet<ValueKind> = new Set<ValueKind>(['string', 'list', 'map'])

/** Whether the elements of a list can be compared with a value. */
function holdsScalars(list: unknown, declared: Shape): boolean {
  const shape = unwrap(declared)
  const of = shape.type === 'list' ? unwrap(shape.of) : anyShape
  if (of.type !== 'any') return 'name' in of && of.name !== 'bytes'
  return Array.isArray(list) && !list.some((item) => typeof item === 'object')
}
