import type { Advice } from './advice.ts'
import { selectorText } from './selector-text.ts'

/** What to ask instead of a kind that does not have the operator. */
export const adviseUnfit: Advice['unfit'] = ({ op, operand, negated, selector: { path } }, kind) => {
  const selector = selectorText(path)
  const text = JSON.stringify(operand?.type === 'value' ? operand.text : '')
  if (op === 'matches' && kind === 'list') {
    return { advice: `; to ask of each element: any ${selector} as item { item matches ${text} }` }
  }
  if (kind === 'string' && /[<>]/.test(op)) {
    const declare = /^"\d{4}-\d\d-\d\d/.test(text)
      ? `; if ${selector} is a time, say so by kinds or a schema`
      : ''
    return { advice: `: texts have no order; numbers, times and durations have${declare}` }
  }
  if (op === 'is nil' || kind === 'invalid') {
    return { advice: `; if ${selector} may be null, say so by a schema or kinds, as in { optional: 'int' }` }
  }
  if (op !== '==') return undefined
  if (kind === 'list') {
    const suggestion = `${text} ${negated ? 'not in' : 'in'} ${selector}`
    return { advice: `; did you mean ${suggestion}?`, suggestion }
  }
  if (kind === 'map') return { advice: `: ${selector} is a map; compare one of its keys, ${selector}.…` }
  if (kind === 'struct') {
    return { advice: `: ${selector} is an object; compare one of its fields, ${selector}.…` }
  }
  return undefined
}
