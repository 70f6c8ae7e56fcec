import type { Node } from './ast.ts'
import { Automaton } from './automaton.ts'
import type { Search } from './compile.ts'
import { joinedTexts, MAX_COMPARED, ofEach, partsOf, spell } from './literals.ts'
import { isTied, mirror } from './mirror.ts'
import { assemble } from './program.ts'

/** The search that first looks for what every match begins with, holds or ends with. */
export const shortSearch: Search = (pattern) => {
  // An end of the text decides soon: `-api$` by four characters there.
  const backwards = isTied(pattern, 'text-end')
  const tied = backwards || isTied(pattern, 'text-start')
  const prefix = tied ? '' : prefixOf(pattern)
  const automaton = new Automaton(assemble(backwards ? mirror(pattern) : pattern), { backwards, prefix })
  const [only = '', ...others] = (tied ? undefined : requiredTexts(pattern)) ?? []
  // Where every match begins with the text, the automaton looks for it itself.
  if (only === prefix && others.length === 0) return (text) => automaton.test(text)
  if (others.length === 0) return (text) => text.includes(only) && automaton.test(text)
  return (text) =>
    (text.includes(only) || others.some((other) => text.includes(other))) && automaton.test(text)
}

/** The text that every match begins with, empty where there is none worth looking for. */
function prefixOf(pattern: Node): string {
  let prefix = ''
  for (const part of partsOf(pattern)) {
    // What is asked about a place has no length.
    if (part.kind === 'assert') continue
    const texts = spell(part)
    if (texts?.length !== 1) break
    prefix += texts[0]
  }
  return prefix.length > 1 ? prefix : ''
}

/**
 * A few texts of which every match holds at least one, as far as such are seen: the longest. `\bweb-[0-9]+` is
 * found in no text without `web-`.
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

/** How much there is to gain from looking for texts: the length of the shortest, less what each costs to look for. */
const worth = (texts: readonly string[] | undefined): number =>
  texts === undefined ? 0 : Math.min(...texts.map(({ length }) => length)) - (texts.length - 1)
