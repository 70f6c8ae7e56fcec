import { holds, normalise, type Ranges } from './ranges.ts'

/**
 * Simple case folding: code points that differ only in case belong to one orbit (`k`, `K`, `K` KELVIN SIGN).
 * ASCII is answered without a table; the rest is read from the host once, when a pattern first needs it.
 */
let orbits: readonly (readonly number[])[] | undefined

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
    orbits ??= readOrbits()
    for (const orbit of orbits)
      if (orbit.some((member) => holds(set, member))) for (const member of orbit) more.push(member, member)
  }
  return normalise(more)
}

/** True for two code points that the host's case-insensitive matching, which is simple folding, takes for one. */
const SAME = /^(.)\1$/isu

/** Code points that fold together share one of their upper-case or lower-case forms; the host confirms each pair. */
function readOrbits(): readonly (readonly number[])[] {
  const orbitOf = new Map<number, number[]>()
  const firstWith = new Map<string, number>()
  // No script beyond the first two planes has cases.
  for (let code = 0x41; code < 0x20000; code += 1) {
    const character = String.fromCodePoint(code)
    const upper = character.toUpperCase()
    const lower = character.toLowerCase()
    if (upper === character && lower === character) continue
    orbitOf.set(code, [code])
    for (const form of [character, upper, upper.toLowerCase(), lower]) {
      const other = firstWith.get(form)
      if (other === undefined) firstWith.set(form, code)
      else if (SAME.test(String.fromCodePoint(other) + character)) unite(orbitOf, other, code)
    }
  }
  return [...new Set(orbitOf.values())].filter((orbit) => orbit.length > 1)
}

function unite(orbitOf: Map<number, number[]>, one: number, other: number): void {
  const into = orbitOf.get(one)
  const from = orbitOf.get(other)
  if (into === undefined || from === undefined || into === from) return
  for (const member of from) orbitOf.set(member, into)
  into.push(...from)
}
