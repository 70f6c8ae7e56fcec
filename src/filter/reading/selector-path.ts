import { parse } from './parse.ts'

/** The names of a selector, as the language reads it. */
export function selectorPath(selector: string): readonly string[] {
  const read = parse(`${selector} is empty`)
  if (read.type !== 'match') throw new TypeError(`${JSON.stringify(selector)} is not a selector`)
  return read.selector.path
}
