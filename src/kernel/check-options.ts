import { nearest } from './nearest.ts'
import { checkOptionNames, type OptionNames } from './option-names.ts'

export type { OptionNames } from './option-names.ts'

/** The fields of a test clock: spreading a clock into options passes all of them, used or not. */
const ofClocks: ReadonlySet<string> = new Set(['env', 'timers', 'now', 'advance', 'set'])

/**
 * Checks that all options are known. Untyped callers, and callers that spread an object into the options, would
 * otherwise pass a misspelt option silently; it is a programming error, so it throws.
 *
 * @param taker - the function that takes the options, for the message
 *
 * @throws TypeError that names the option, and the probable one, or else all options
 */
export const checkOptions = <Options extends object>(
  taker: string,
  options: Options,
  names: OptionNames<Options>,
): void => checkOptionNames(taker, options, names, nearest, ofClocks)
