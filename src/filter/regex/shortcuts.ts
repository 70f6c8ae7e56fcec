import type { Node } from './ast.ts'
import { Automaton } from './automaton.ts'
import type { Search } from './compile.ts'
import { joinedTexts, MAX_COMPARED, ofEach, partsOf, spell } from './literals.ts'
import { isTied, mirror } from './mirror.ts'
import { assemble } from './program.ts'

/** The search that first looks for a string that every match begins with, contains or ends with. */
export const shortSearch: Search = (pattern) => {
  // An anchor at the end decides soon: `-api$` by the last four characters.
  const backwards = isTied(pattern, 'text-end')
  const tied = backwards || isTied(pattern, 'text-start')
  const prefix = tied ? '' : prefixOf(pattern)
  const automaton = new Automaton(assemble(backwards ? mirror(pattern) : pattern), { backwards, prefix })
  const [only = '', ...others] = (tied ? undefined : requiredTexts(pattern)) ?? []
  // If every match begins with the string, the automaton looks for it itself.
  if (only === prefix && others.length === 0) return (text) => automaton.test(text)
  if (others.length === 0) return (text) => text.includes(only) && automaton.test(text)
  return (text) =>
    (text.includes(only) || others.some((other) => text.includes(other))) && automaton.test(text)
}

/** The string that every match begins with; empty if none is worth looking for. */
function prefixOf(pattern: Node): string {
  let prefix = ''
  for (const part of partsOf(pattern)) {
    // Assertions have no length.
    if (part.kind === 'assert') continue
    const texts = spell(part)
    if (texts?.length !== 1) break
    prefix += texts[0]
  }
  return prefix.length > 1 ? prefix : ''
}

/**
 * A few strings of which every match contains at least one, as far as they can be determined: the longest.
 * `\bweb-[0-9]+` cannot match a text without `web-`.
 */
function requiredTexts(pattern: Node): readonly string[] | undefined {
  switch (pattern.kind) {
    case 'repeat':
      return pattern.min > 0 ? requiredTexts(pattern.of) : undefined
    case 'alternate':
      return ofEach(pattern.of, requiredTexts, MAX_COMPARED)
    default:
      return requiredOfParts(partsOf(pattern))
  }
}

function requiredOfParts(parts: readonly Node[]): readonly string[] | undefined {
  let best: readonly string[] | undefined
  let run: readonly string[] = ['']
  const offer = (texts: readonly string[] | undefined): void => {
    if (texts !== undefined && worth(texts) > worth(best)) best = texts
  }
  for (const part of parts) {
    if (part.kind === 'assert') continue
    const texts = spell(part)
    const joined = texts && joinedTexts(run, texts)
    if (joined !== undefined && joined.length <= MAX_COMPARED) {
      run = joined
      continue
    }
    offer(run)
    if (part.kind === 'repeat' || part.kind === 'alternate') offer(requiredTexts(part))
    run = texts !== undefined && texts.length <= MAX_COMPARED ? texts : ['']
  }
  offer(run)
  return best
}

/** The benefit of looking for these strings: the length of the shortest, less the cost of each. */
const worth = (texts: readonly string[] | undefined): number =>
  texts === undefined ? 0 : Math.min(...texts.map(({ length }) => length)) - (texts.length - 1)
