import { expressionOf } from './plain-words.ts'

/** The condition on a field that a filter has among those joined by `and`, as the facets write it. */
const written = (field: string): RegExp =>
  new RegExp(`(^| and )${field.replace(/\W/g, '\\$&')} == ("(?:[^"\\\\]|\\\\.)*")(?= and |$)`)

/** The value that a filter demands of a field. */
export function valueIn(filter: string, field: string): string | undefined {
  if (isAlternatives(filter)) return undefined
  const [, , value] = written(field).exec(filter) ?? []
  return value === undefined ? undefined : String(JSON.parse(value))
}

/** Whether an `or` outside of parentheses joins parts of a filter. */
function isAlternatives(filter: string): boolean {
  let depth = 0
  const outside = filter.replace(/"(?:[^"\\]|\\.)*"|[()]|[^"()]+|"/g, (part) => {
    if (part === '(') depth += 1
    else if (part === ')') depth -= 1
    return depth === 0 ? part : ''
  })
  return / or /.test(outside)
}

/** A filter that demands another value of a field, or any; plain words become an expression. */
export function withValue(
  filter: string,
  field: string,
  value: string | undefined,
  names: readonly string[],
): string {
  const rest = isAlternatives(filter) ? filter : filter.replace(written(field), '').replace(/^ and /, '')
  if (value === undefined) return rest
  if (rest === '') return `${field} == ${JSON.stringify(value)}`
  const others = expressionOf(rest, names)
  return `${isAlternatives(others) ? `(${others})` : others} and ${field} == ${JSON.stringify(value)}`
}
