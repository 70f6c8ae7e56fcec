import { hostProperty } from './property.ts'
import { holds, normalise, type Ranges } from './ranges.ts'

/**
 * Simple case folding: code points that differ only in case are taken for one (`k`, `K`, `K` KELVIN SIGN). ASCII is
 * answered without a table; for the rest the host's own case-insensitive matching, which is simple folding, is asked
 * about every character that has another case. Which these are is read from the host once.
 */
let cased: string | undefined

/** The closures of the sets that were asked for, most of them of properties, which live on. */
const closures = new WeakMap<Ranges, Ranges>()

/** The set together with everything that differs from a member only in case. */
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

/** The host's pattern of the characters that are in a set but for their case. */
function hostSet(set: Ranges): RegExp {
  let members = ''
  for (const [at, bound] of set.entries()) members += `${at % 2 === 0 ? '' : '-'}\\u{${bound.toString(16)}}`
  return new RegExp(`[${members}]`, 'giu')
}
