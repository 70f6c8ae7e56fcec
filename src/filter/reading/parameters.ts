import type { Range } from '../ast.ts'
import { FilterError } from '../error.ts'
import { type Parameters, parameterKinds } from '../kinds/parameters.ts'
import { plainName } from '../kinds/shape.ts'

/** Refuses a parameter that is not declared. */
export function declared(source: string, parameters: Parameters = {}): (name: string, at: Range) => void {
  for (const [name, kind] of Object.entries(parameters)) {
    if (!parameterKinds.includes(plainName(kind)))
      throw new TypeError(`the parameter ${name} must be one of ${parameterKinds.join(', ')}, not ${kind}`)
  }
  return (name, { start, end }) => {
    if (Object.hasOwn(parameters, name)) return
    throw new FilterError('type', `there is no parameter $${name}${known(parameters)}`, source, {
      start,
      end,
    })
  }
}

/** Lists the parameters, for a message. */
export const known = (parameters: Parameters): string => {
  const names = Object.keys(parameters)
  return names.length === 0
    ? '; none is declared'
    : `; there are ${names.map((name) => `$${name}`).join(', ')}`
}
