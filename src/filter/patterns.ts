import { compileRegex, type Regex } from './regex/index.ts'

/** The compiled patterns of one expression, each compiled once. */
export class Patterns {
  readonly #known = new Map<string, Regex | Error>()

  /** The pattern, compiled; or what is wrong with it. */
  compile(pattern: string, ignoreCase: boolean): Regex | Error {
    const key = `${ignoreCase ? 'i' : '='}${pattern}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const made = make(pattern, ignoreCase)
    this.#known.set(key, made)
    return made
  }
}

function make(pattern: string, ignoreCase: boolean): Regex | Error {
  try {
    return compileRegex(pattern, { ignoreCase })
  } catch (error) {
    // The engine's own error of a bad pattern; its message is all that is needed of it.
    if (error instanceof Error) return error
    throw error
  }
}
