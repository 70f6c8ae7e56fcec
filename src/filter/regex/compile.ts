import { empty, type Node } from './ast.ts'
import { Automaton } from './automaton.ts'
import { type Literals, literalsOf, literalTest, plainLiterals, type TextTest } from './literals.ts'
import { parse } from './parse.ts'
import { assemble } from './program.ts'
import { simplify } from './simplify.ts'

/** A compiled pattern: tests whether it matches anywhere in a text. */
export interface Regex {
  readonly test: (text: string) => boolean
  /** The number of instructions of its automaton; 0 if string operations suffice. */
  readonly size: number
  /** The literals it is equivalent to, if there are few. */
  readonly literals?: Literals
}

/** Creates the search for a pattern that needs an automaton. */
export type Search = (pattern: Node) => TextTest

/** The search that reads every text from its start. */
export const plainSearch: Search = (pattern) => {
  const automaton = new Automaton(assemble(pattern))
  return (text) => automaton.test(text)
}

export type CompileRegex = (pattern: string, options?: { readonly ignoreCase?: boolean }) => Regex

/** Compiles patterns into searches of one kind. */
export function regexCompiler(search: Search): CompileRegex {
  return (pattern, { ignoreCase = false } = {}) => {
    const plain = ignoreCase ? undefined : plainLiterals(pattern)
    const simple = plain === undefined ? simplify(parse(pattern, ignoreCase)) : empty
    const literals = plain ?? literalsOf(simple)
    const test = literals && literalTest(literals)
    if (literals !== undefined && test !== undefined) return { test, literals, size: 0 }
    // Many patterns are compiled only to validate them.
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
