import type { Assertion, Node } from './ast.ts'

/** A test that needs no automaton. */
export type TextTest = (text: string) => boolean

/** Above this number of literals, the automaton is faster. */
export const MAX_COMPARED = 4
/** The largest set of characters that is expanded. */
const MAX_CHARACTERS = 16
/** The longest list that is expanded, and the longest literal in it. */
const MAX_SPELLED = 64
const MAX_LENGTH = 1000

/** A pattern that is equivalent to a few literals, perhaps anchored to the start or the end. */
export interface Literals {
  /** The literals; never empty. */
  readonly texts: readonly string[]
  readonly fromStart: boolean
  readonly toEnd: boolean
}

/** Recognises a pattern without metacharacters (`^web-`, `-api$`, `anywhere`) without parsing it. */
export function plainLiterals(pattern: string): Literals | undefined {
  const fromStart = pattern.startsWith('^')
  const toEnd = pattern.endsWith('$')
  const text = pattern.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined)
  // Half a surrogate pair needs the automaton, which distinguishes it from a whole one.
  return /[\\^$.|?*+()[\]{}\ud800-\udfff]/.test(text) ? undefined : { texts: [text], fromStart, toEnd }
}

/** The literals that a simplified pattern is equivalent to, if there are few: `^(api|web)` to two at the start. */
export function literalsOf(pattern: Node): Literals | undefined {
  const parts = partsOf(pattern)
  const fromStart = isAssertion(parts[0], 'text-start')
  const toEnd = isAssertion(parts.at(-1), 'text-end')
  const texts = spellAll(parts.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined))
  return texts === undefined || texts.length === 0 ? undefined : { texts, fromStart, toEnd }
}

/** The string operation that finds a few literals; undefined if the automaton is faster. */
export function literalTest({ texts, fromStart, toEnd }: Literals): TextTest | undefined {
  const [only = ''] = texts
  const one = texts.length === 1
  if (fromStart && toEnd) {
    const set = new Set(texts)
    return one ? (text) => text === only : (text) => set.has(text)
  }
  if (texts.length > MAX_COMPARED) return undefined
  if (fromStart)
    return one ? (text) => text.startsWith(only) : (text) => texts.some((part) => text.startsWith(part))
  if (toEnd) return one ? (text) => text.endsWith(only) : (text) => texts.some((part) => text.endsWith(part))
  return one ? (text) => text.includes(only) : (text) => texts.some((part) => text.includes(part))
}

export const partsOf = (pattern: Node): readonly Node[] =>
  pattern.kind === 'concat' ? pattern.of : [pattern]

const isAssertion = (node: Node | undefined, at: Assertion): boolean =>
  node?.kind === 'assert' && node.at === at

/** The literals of all nodes together; undefined if one has none, or there are too many. */
export function ofEach(
  nodes: readonly Node[],
  textsOf: (node: Node) => readonly string[] | undefined,
  most: number,
): readonly string[] | undefined {
  const texts: string[] = []
  for (const node of nodes) {
    const more = textsOf(node)
    if (more === undefined || texts.length + more.length > most) return undefined
    texts.push(...more)
  }
  return texts
}

export const joinedTexts = (starts: readonly string[], ends: readonly string[]): readonly string[] =>
  ends.length === 1
    ? starts.map((start) => start + ends[0])
    : starts.flatMap((start) => ends.map((end) => start + end))

/** Every string a node matches, if there are few. */
export function spell(node: Node): readonly string[] | undefined {
  switch (node.kind) {
    case 'empty':
      return ['']
    case 'set':
      return spellSet(node.ranges)
    case 'concat':
      return spellAll(node.of)
    case 'alternate':
      return ofEach(node.of, spell, MAX_SPELLED)
    case 'repeat':
      return node.min === node.max && node.min <= MAX_LENGTH ? spellCopies(node.of, node.min) : undefined
    default:
      return undefined
  }
}

function spellSet(ranges: readonly number[]): readonly string[] | undefined {
  const texts: string[] = []
  for (let at = 0; at < ranges.length; at += 2) {
    const last = ranges[at + 1] ?? 0
    for (let code = ranges[at] ?? 0; code <= last; code += 1) {
      // Half a surrogate pair must not match inside a whole one, and two halves must not be joined to one.
      if (texts.length >= MAX_CHARACTERS || (code >= 0xd800 && code <= 0xdfff)) return undefined
      texts.push(String.fromCodePoint(code))
    }
  }
  return texts
}

function spellCopies(node: Node, copies: number): readonly string[] | undefined {
  const texts = spell(node)
  if (texts === undefined || texts.length ** copies > MAX_SPELLED) return undefined
  return spellAll(Array.from({ length: copies }, () => node))
}

function spellAll(nodes: readonly Node[]): readonly string[] | undefined {
  let texts: readonly string[] = ['']
  for (const node of nodes) {
    const next = spell(node)
    if (next === undefined || texts.length * next.length > MAX_SPELLED) return undefined
    if (texts.some((text) => text.length > MAX_LENGTH)) return undefined
    texts = joinedTexts(texts, next)
  }
  return texts
}
