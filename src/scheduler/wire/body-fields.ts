import { isObject } from '../../kernel/objects.ts'

/** Returns a field of a body, by case-insensitive name; an exact match wins. */
export function fieldOf(body: unknown, name: string): unknown {
  if (!isObject(body)) return undefined
  if (Object.hasOwn(body, name)) return body[name]
  const found = Object.keys(body).find((key) => key.toLowerCase() === name.toLowerCase())
  return found === undefined ? undefined : body[found]
}
