import { empty, type Node } from './ast.ts'
import { Automaton } from './automaton.ts'
import {
  type Literals,
  literalsOf,
  literalTest,
  plainLiterals,
  prefixOf,
  requiredTexts,
  type TextTest,
} from './literals.ts'
import { isTied, mirror } from './mirror.ts'
import { parse } from './parse.ts'
import { assemble } from './program.ts'
import { simplify } from './simplify.ts'

export { type RegexFault, RegexSyntaxError } from './error.ts'

/** A compiled pattern: whether it is found anywhere in a text. */
export interface Regex {
  readonly test: (text: string) => boolean
  /** The texts it amounts to, where it amounts to a few. */
  readonly literals?: Literals
}

/**
 * Compiles a pattern of RE2 syntax, the one of Go's `regexp`, into a search that takes linear time on every text.
 *
 * The search is not anchored. A text is read by code points, so that `.` is one emoji; half a surrogate pair is
 * a code point of its own. Classes of Unicode follow the host's version. A pattern that amounts to a few literals
 * becomes a string operation; any other runs in an automaton that is made at the first test and remembers
 * at most some 8 MiB, whatever the texts.
 *
 * @param options - `ignoreCase` is `(?i)` for the whole pattern, so that errors quote the pattern as it was written
 * @throws RegexSyntaxError with Go's message and the place in the pattern.
 */
export function compileRegex(pattern: string, { ignoreCase = false } = {}): Regex {
  const plain = ignoreCase ? undefined : plainLiterals(pattern)
  const simple = plain === undefined ? simplify(parse(pattern, ignoreCase)) : empty
  const literals = plain ?? literalsOf(simple)
  const test = literals && literalTest(literals)
  if (literals !== undefined && test !== undefined) return { test, literals }
  // Many patterns are compiled only to see whether they are right.
  let made: TextTest | undefined
  const found: { test: TextTest; literals?: Literals } = {
    test: (text) => {
      made ??= search(simple)
      found.test = made
      return made(text)
    },
  }
  if (literals !== undefined) found.literals = literals
  return found
}

/** The search of a pattern that is no string operation. */
function search(pattern: Node): TextTest {
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
