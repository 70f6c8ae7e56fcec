import type { Regex } from '../regex/index.ts'

/** Compiles a pattern; throws an error whose message says what is wrong with it. */
export type CompilePattern = (pattern: string, options: { readonly ignoreCase: boolean }) => Regex

/** The patterns of one expression. */
export interface Patterns {
  /** The pattern, compiled; or what is wrong with it. */
  readonly compile: (pattern: string, ignoreCase: boolean) => Regex | Error
  /** How many instructions those have together that were compiled. */
  readonly size: number
}

/** Compiles each pattern once. */
export function knownPatterns(compile: CompilePattern): Patterns {
  const known = new Map<string, Regex | Error>()
  let size = 0
  return {
    get size() {
      return size
    },
    compile: (pattern, ignoreCase) => {
      const key = `${ignoreCase ? 'i' : '='}${pattern}`
      let found = known.get(key)
      if (found === undefined) {
        try {
          found = compile(pattern, { ignoreCase })
          size += found.size
        } catch (error) {
          // The engine's own error of a bad pattern; its message is all that is needed of it.
          if (!(error instanceof Error)) throw error
          found = error
        }
        known.set(key, found)
      }
      return found
    },
  }
}
