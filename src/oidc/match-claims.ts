import { isObject, ownValue } from '../kernel/objects.ts'
import type { Claims } from './read-token.ts'

/**
 * The value of a claim by its name, or by a JSON pointer (`/resource/roles/0`), which may also name a claim whose own name
 * has slashes or dots.
 */
export function claimAt(claims: Claims, name: string): unknown {
  if (!name.startsWith('/')) return ownValue(claims, name)
  let value: unknown = claims
  for (const part of name.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(value)) value = /^\d{1,6}$/.test(key) ? value[Number(key)] : undefined
    else value = isObject(value) ? ownValue(value, key) : undefined
  }
  return value
}

/** Whether a text matches a pattern in which `*` stands for any text; in linear time. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === text
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false
  const end = text.length - last.length
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

/** A value that a claim can be bound to. */
export type BoundValue = string | number | boolean

/** The values of a claim: a single one counts as a list. `undefined` for other JSON. */
export function claimValues(value: unknown): readonly BoundValue[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.every(isBoundValue) ? list : undefined
}

const isBoundValue = (value: unknown): value is BoundValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Claims that a token must have: of each, one of these values. */
export type BoundClaims = Readonly<Record<string, readonly BoundValue[]>>

/**
 * Checks bound claims: each claim must be there, and one of its values must be one of the bound ones, or match one of them
 * as a pattern.
 *
 * @returns the problem, or `undefined`
 */
export function boundClaimsProblem(
  bound: BoundClaims,
  claims: Claims,
  kind: 'string' | 'glob',
): string | undefined {
  for (const [name, wanted] of Object.entries(bound)) {
    const given = claimAt(claims, name)
    if (given === undefined || given === null) return `claim ${JSON.stringify(name)} is missing`
    const values = claimValues(given)
    if (values === undefined)
      return `received claim ${JSON.stringify(name)} is not a string, bool, int or list`
    const isMatch = wanted.some((expected) =>
      values.some((value) =>
        kind === 'glob' && typeof expected === 'string' && typeof value === 'string'
          ? matchesGlob(expected, value)
          : expected === value,
      ),
    )
    if (!isMatch) return `claim ${JSON.stringify(name)} does not match any associated bound claim values`
  }
  return undefined
}
