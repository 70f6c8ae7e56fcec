/** The names of all options; an option with nested options can list theirs. */
export type OptionNames<Options> = {
  readonly [Name in keyof Options]-?:
    | true
    | { readonly [Inner in keyof Extract<Options[Name], object>]-?: true }
}

/** Finds the name that a misspelt one probably meant. */
export type Suggest = (name: string, names: readonly string[]) => string | undefined

/**
 * Checks that options are known, as `checkOptions` does, for functions whose bundle size matters: they provide their
 * own suggestions.
 *
 * @param ignored - names that are skipped
 *
 * @throws TypeError that names the option, and the probable one, or else all options
 */
export function checkOptionNames<Options extends object>(
  taker: string,
  options: Options,
  names: OptionNames<Options>,
  suggest?: Suggest,
  ignored?: ReadonlySet<string>,
): void {
  const given: unknown = options
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${taker}: options is ${given === null ? 'null' : typeof given}: pass an object`)
  const known: Readonly<Record<string, true | Readonly<Record<string, true>>>> = names
  const expect = (name: string, all: Readonly<Record<string, unknown>>, within = ''): void => {
    if (Object.hasOwn(all, name)) return
    const listed = Object.keys(all).sort()
    const meant = suggest?.(name, listed)
    const advice =
      meant === undefined
        ? `it has ${listed.map((one) => within + one).join(', ')}`
        : `did you mean ${within}${meant}?`
    throw new TypeError(`${taker} has no option ${within}${name}: ${advice}`)
  }
  for (const [name, value] of Object.entries(given)) {
    if (ignored?.has(name)) continue
    expect(name, known)
    const held = known[name]
    if (typeof held !== 'object' || typeof value !== 'object' || value === null) continue
    for (const inner of Object.keys(value)) expect(inner, held, `${name}.`)
  }
}
