import { nearest } from './nearest.ts'
import { checkOptionNames, type OptionNames } from './option-names.ts'

export type { OptionNames } from './option-names.ts'

/** The fields of a test clock: spreading one into options brings all of them, taken or not. */
const ofClocks: ReadonlySet<string> = new Set(['env', 'timers', 'now', 'advance', 'set'])

/**
 * Checks that options are known. One that is not would be taken in silence by programs that are not compiled, and by
 * those that spread an object into the options; it is a mistake of the program, so it throws.
 *
 * @param taker - the function that takes the options, for the message
 *
 * @throws TypeError that names the option, and the one that was probably meant, or else all that there are
 */
export const checkOptions = <Options extends object>(
  taker: string,
  options: Options,
  names: OptionNames<Options>,
): void => checkOptionNames(taker, options, names, nearest, ofClocks)
