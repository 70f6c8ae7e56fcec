import type { Regex } from '../regex/index.ts'

/** Compiles a pattern; throws an error whose message says what is wrong with it. */
export type CompilePattern = (pattern: string, options: { readonly ignoreCase: boolean }) => Regex

/** The patterns of one expression. */
export interface Patterns {
  /** The pattern, compiled; or what is wrong with it. */
  readonly compile: (pattern: string, ignoreCase: boolean) => Regex | Error
  /** The total number of instructions of the compiled patterns. */
  readonly size: number
}

/** Compiles each pattern once. */
export const knownPatterns = (compile: CompilePattern): Patterns => new KnownPatterns(compile)

class KnownPatterns implements Patterns {
  size = 0
  readonly #compile: CompilePattern
  #known: Map<string, Regex | Error> | undefined

  constructor(compile: CompilePattern) {
    this.#compile = compile
  }

  compile(pattern: string, ignoreCase: boolean): Regex | Error {
    const key = `${ignoreCase ? 'i' : '='}${pattern}`
    this.#known ??= new Map()
    let found = this.#known.get(key)
    if (found === undefined) {
      try {
        found = this.#compile(pattern, { ignoreCase })
        this.size += found.size
      } catch (error) {
        // The engine's own error for an invalid pattern; only its message is used.
        if (!(error instanceof Error)) throw error
        found = error
      }
      this.#known.set(key, found)
    }
    return found
  }
}
