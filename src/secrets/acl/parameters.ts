import type { ParameterRules, PathRule } from './model.ts'

/** The parameters of a request, from its body or query. */
export type Parameters = Readonly<Record<string, unknown>>

/** The values of both; an empty list means every value, and takes precedence. */
export function bothRules(a: ParameterRules, b: ParameterRules): ParameterRules {
  const result = new Map(a)
  for (const [name, values] of b) {
    const before = result.get(name)
    if (before === undefined) result.set(name, values)
    else result.set(name, before.length === 0 || values.length === 0 ? [] : [...before, ...values])
  }
  return result
}

/** Returns the violated rule on a request's parameters, or `undefined`. Names the parameter, never its value. */
export function parameterProblem(
  rule: Pick<PathRule, 'allowedParameters' | 'deniedParameters' | 'requiredParameters'>,
  parameters: Parameters,
): string | undefined {
  const { allowedParameters: allowed, deniedParameters: denied, requiredParameters: required } = rule
  if (allowed.size === 0 && denied.size === 0 && required.length === 0) return undefined
  // Each by itself: the endpoint reads one of `policies` and `POLICIES`, and the other must not be checked instead.
  const given = Object.entries(parameters).map(([name, value]) => [name.toLowerCase(), value] as const)
  const missing = required.find((name) => !given.some(([known]) => known === name))
  if (missing !== undefined) return `parameter "${missing}" is required`
  if (given.length === 0) return undefined
  if (denied.has('*')) return 'every parameter is denied'
  for (const [name, value] of given) {
    const values = denied.get(name)
    if (values && isAmong(values, value)) return `parameter "${name}" is denied`
  }
  if (allowed.size === 0 || (allowed.size === 1 && allowed.has('*'))) return undefined
  for (const [name, value] of given) {
    const values = allowed.get(name)
    if (values === undefined && !allowed.has('*')) return `parameter "${name}" is not allowed`
    if (values && !isAmong(values, value)) return `the value of parameter "${name}" is not allowed`
  }
  return undefined
}

/** Whether a rule lists a value; an empty list means all, and strings may use `*` at either end. */
const isAmong = (values: readonly unknown[], value: unknown): boolean =>
  values.length === 0 ||
  values.some((item) =>
    typeof item === 'string' && typeof value === 'string' ? fits(item, value) : same(item, value),
  )

function fits(glob: string, text: string): boolean {
  if (glob === '*') return true
  const [open, close] = [glob.startsWith('*'), glob.endsWith('*')]
  if (open && close) return text.includes(glob.slice(1, -1))
  if (open) return text.endsWith(glob.slice(1))
  return close ? text.startsWith(glob.slice(0, -1)) : text === glob
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))]
  return (
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && same(value, right.get(name)))
  )
}
