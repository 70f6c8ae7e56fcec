import { empty, type Node } from './ast.ts'
import { Automaton } from './automaton.ts'
import { type Literals, literalsOf, literalTest, plainLiterals, type TextTest } from './literals.ts'
import { parse } from './parse.ts'
import { assemble } from './program.ts'
import { simplify } from './simplify.ts'

/** A compiled pattern: whether it is found anywhere in a text. */
export interface Regex {
  readonly test: (text: string) => boolean
  /** How many instructions its automaton has; none where string operations do. */
  readonly size: number
  /** The texts it amounts to, where it amounts to a few. */
  readonly literals?: Literals
}

/** Makes the search of a pattern that is no string operation. */
export type Search = (pattern: Node) => TextTest

/** The search that reads every text from its start. */
export const plainSearch: Search = (pattern) => {
  const automaton = new Automaton(assemble(pattern))
  return (text) => automaton.test(text)
}

export type CompileRegex = (pattern: string, options?: { readonly ignoreCase?: boolean }) => Regex

/** What compiles patterns into searches of a kind. */
export function regexCompiler(search: Search): CompileRegex {
  return (pattern, { ignoreCase = false } = {}) => {
    const plain = ignoreCase ? undefined : plainLiterals(pattern)
    const simple = plain === undefined ? simplify(parse(pattern, ignoreCase)) : empty
    const literals = plain ?? literalsOf(simple)
    const test = literals && literalTest(literals)
    if (literals !== undefined && test !== undefined) return { test, literals, size: 0 }
    // Many patterns are compiled only to see whether they are right.
    let made: TextTest | undefined
    const found: { test: TextTest; literals?: Literals; readonly size: number } = {
      size: simple.size,
      test: (text) => {
        made ??= search(simple)
        found.test = made
        return made(text)
      },
    }
    if (literals !== undefined) found.literals = literals
    return found
  }
}
