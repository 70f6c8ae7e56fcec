import type { ParameterRules, PathRule } from './model.ts'

/** The parameters of a request, from its body or query. */
export type Parameters = Readonly<Record<string, unknown>>

/** The values of both. */
export function bothRules(a: ParameterRules, b: ParameterRules): ParameterRules {
  const result = new Map<string, unknown[]>()
  for (const rules of [a, b]) for (const [name, values] of rules) addValues(result, name, values)
  return result
}

/** Adds values of a parameter; an empty list means every value, and takes precedence. */
export function addValues(into: Map<string, unknown[]>, name: string, values: readonly unknown[]): void {
  const before = into.get(name)
  if (before === undefined || values.length === 0) into.set(name, [...values])
  else if (before.length > 0) for (const value of values) before.push(value)
}

/** Whether a rule says anything about parameters. */
export const hasParameterRules = ({
  allowedParameters,
  deniedParameters,
  requiredParameters,
}: RulesOfParameters): boolean =>
  allowedParameters.size > 0 || deniedParameters.size > 0 || requiredParameters.length > 0

type RulesOfParameters = Pick<PathRule, 'allowedParameters' | 'deniedParameters' | 'requiredParameters'>

/** Returns the violated rule on a request's parameters, or `undefined`. Names the parameter, never its value. */
export function* judgingParameters(
  rule: RulesOfParameters,
  parameters: Parameters,
): Generator<undefined, string | undefined> {
  const { allowedParameters: allowed, deniedParameters: denied, requiredParameters: required } = rule
  if (!hasParameterRules(rule)) return undefined
  // Each by itself: the endpoint reads one of `policies` and `POLICIES`, and the other must not be checked instead.
  const given = Object.entries(parameters).map(([name, value]) => [name.toLowerCase(), value] as const)
  const missing = required.find((name) => !given.some(([known]) => known === name))
  if (missing !== undefined) return `parameter "${missing}" is required`
  if (given.length === 0) return undefined
  if (denied.has('*')) return 'every parameter is denied'
  // Each search costs the length of its value, however often the value repeats the text.
  const budget: Budget = { left: mostSearched }
  const tooLong = (name: string) => `the value of parameter "${name}" is too long to be searched`
  for (const [name, value] of given) {
    const values = denied.get(name)
    if (values && (yield* isAmong(values, value, budget))) return `parameter "${name}" is denied`
    if (budget.left < 0) return tooLong(name)
  }
  if (allowed.size === 0 || (allowed.size === 1 && allowed.has('*'))) return undefined
  for (const [name, value] of given) {
    const values = allowed.get(name)
    if (values === undefined && !allowed.has('*')) return `parameter "${name}" is not allowed`
    if (values && !(yield* isAmong(values, value, budget)))
      return budget.left < 0 ? tooLong(name) : `the value of parameter "${name}" is not allowed`
  }
  return undefined
}

/** Whether a rule lists a value; an empty list means all, and strings may use `*` at either end. */
function* isAmong(values: readonly unknown[], value: unknown, budget: Budget): Generator<undefined, boolean> {
  if (values.length === 0) return true
  for (const item of values) {
    yield
    const isSame =
      typeof item === 'string' && typeof value === 'string'
        ? yield* fits(item, value, budget)
        : same(item, value)
    if (isSame) return true
  }
  return false
}

/** How many characters the rules of one request may search through; a request that needs more is refused. */
const mostSearched = 16 * 1024 * 1024

interface Budget {
  left: number
}

function* fits(glob: string, text: string, budget: Budget): Generator<undefined, boolean> {
  if (glob === '*') return true
  const [open, close] = [glob.startsWith('*'), glob.endsWith('*')]
  if (open && close) {
    budget.left -= text.length
    return budget.left >= 0 && (yield* contains(text, glob.slice(1, -1)))
  }
  if (open) return text.endsWith(glob.slice(1))
  return close ? text.startsWith(glob.slice(0, -1)) : text === glob
}

/** Whether a text contains another. The search of the host takes time by both lengths if a text repeats itself. */
function* contains(text: string, part: string): Generator<undefined, boolean> {
  if (part.length < 8 || text.length < 4096) return text.includes(part)
  // For each prefix of the part, the length of its longest end that is also its beginning (Knuth, Morris, Pratt).
  const borders = new Uint32Array(part.length)
  let length = 0
  for (let at = 1; at < part.length; at += 1) {
    while (length > 0 && part.charCodeAt(at) !== part.charCodeAt(length)) length = borders[length - 1] ?? 0
    if (part.charCodeAt(at) === part.charCodeAt(length)) length += 1
    borders[at] = length
    if (at % stepped === 0) yield
  }
  length = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    while (length > 0 && unit !== part.charCodeAt(length)) length = borders[length - 1] ?? 0
    if (unit === part.charCodeAt(length)) length += 1
    if (length === part.length) return true
    if (at % stepped === 0) yield
  }
  return false
}

/** How many characters are searched in one step. */
const stepped = 65_536

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
