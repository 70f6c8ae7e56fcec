import type { Regex } from './regex/index.ts'

/** Compiles a pattern; throws an error whose message says what is wrong with it. */
export type CompilePattern = (pattern: string, options: { readonly ignoreCase: boolean }) => Regex

/** The patterns of one expression. */
export interface Patterns {
  /** The pattern, compiled; or what is wrong with it. */
  readonly compile: (pattern: string, ignoreCase: boolean) => Regex | Error
}

/** Compiles each pattern once. */
export class KnownPatterns implements Patterns {
  readonly #known = new Map<string, Regex | Error>()
  readonly #compile: CompilePattern

  constructor(compile: CompilePattern) {
    this.#compile = compile
  }

  compile(pattern: string, ignoreCase: boolean): Regex | Error {
    const key = `${ignoreCase ? 'i' : '='}${pattern}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    let made: Regex | Error
    try {
      made = this.#compile(pattern, { ignoreCase })
    } catch (error) {
      // The engine's own error of a bad pattern; its message is all that is needed of it.
      if (!(error instanceof Error)) throw error
      made = error
    }
    this.#known.set(key, made)
    return made
  }
}
