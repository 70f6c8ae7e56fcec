import { nearest } from './nearest.ts'

/** The names of all options; one that holds options of its own may say theirs. */
export type OptionNames<Options> = {
  readonly [Name in keyof Options]-?:
    | true
    | { readonly [Inner in keyof Extract<Options[Name], object>]-?: true }
}

/** What a test clock is made of: whoever spreads one into options brings all of it along, taken or not. */
const ofClocks: ReadonlySet<string> = new Set(['env', 'timers', 'now', 'advance', 'set'])

/**
 * Checks that options are known. One that is not would be taken in silence by programs that are not compiled, and by
 * those that spread an object into the options; it is a mistake of the program, so it throws.
 *
 * @param taker - the function that takes the options, for the message
 *
 * @throws TypeError that names the option, and the one that was probably meant, or else all that there are
 */
export function checkOptions<Options extends object>(
  taker: string,
  options: Options,
  names: OptionNames<Options>,
): void {
  const given: unknown = options
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${taker}: options is ${given === null ? 'null' : typeof given}: give an object`)
  const known: Readonly<Record<string, true | Readonly<Record<string, true>>>> = names
  for (const [name, value] of Object.entries(given)) {
    if (ofClocks.has(name)) continue
    expectName(taker, name, known)
    const held = known[name]
    if (typeof held !== 'object' || typeof value !== 'object' || value === null) continue
    for (const inner of Object.keys(value)) expectName(taker, inner, held, `${name}.`)
  }
}

function expectName(
  taker: string,
  name: string,
  names: Readonly<Record<string, unknown>>,
  within = '',
): void {
  if (Object.hasOwn(names, name)) return
  const all = Object.keys(names).sort()
  const meant = nearest(name, all)
  throw new TypeError(
    `${taker} has no option ${within}${name}: ${meant === undefined ? `it has ${all.map((one) => within + one).join(', ')}` : `did you mean ${within}${meant}?`}`,
  )
}
