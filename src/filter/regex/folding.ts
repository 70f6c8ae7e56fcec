import { hostProperty } from './property.ts'
import { holds, normalise, type Ranges } from './ranges.ts'

/**
 * Simple case folding: code points that differ only in case are equal (`k`, `K`, `K` KELVIN SIGN). ASCII needs no
 * table. For the rest, the host's own case-insensitive matching, which is simple folding, is applied to each character
 * that has another case; these are determined once.
 */
let cased: string | undefined

/** Cached results, most of them for properties, which are cached, too. */
const closures = new WeakMap<Ranges, Ranges>()

/** The set with all code points that differ from a member only in case. */
export function foldClosure(set: Ranges): Ranges {
  const before = closures.get(set)
  if (before !== undefined) return before
  const closure = close(set)
  closures.set(set, closure)
  return closure
}

function close(set: Ranges): Ranges {
  const more: number[] = [...set]
  if ((set.at(-1) ?? 0) < 0x80) {
    for (let lower = 0x61; lower <= 0x7a; lower += 1) {
      if (!holds(set, lower) && !holds(set, lower - 0x20)) continue
      more.push(lower, lower, lower - 0x20, lower - 0x20)
      if (lower === 0x6b) more.push(0x212a, 0x212a)
      if (lower === 0x73) more.push(0x17f, 0x17f)
    }
  } else {
    cased ??= readCased()
    for (const [character] of cased.matchAll(hostSet(set))) {
      const code = character.codePointAt(0) ?? 0
      more.push(code, code)
    }
  }
  return normalise(more)
}

function readCased(): string {
  const characters: string[] = []
  const ranges = hostProperty('Changes_When_Casemapped')
  for (let at = 0; at < ranges.length; at += 2)
    for (let code = ranges[at] ?? 0; code <= (ranges[at + 1] ?? 0); code += 1)
      characters.push(String.fromCodePoint(code))
  return characters.join('')
}

/** The host's pattern for the characters that differ only in case from a member of a set. */
function hostSet(set: Ranges): RegExp {
  let members = ''
  for (const [at, bound] of set.entries()) members += `${at % 2 === 0 ? '' : '-'}\\u{${bound.toString(16)}}`
  return new RegExp(`[${members}]`, 'giu')
}
