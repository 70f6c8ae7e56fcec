/**
 * Checks the options that are to be called; those left out are fine. Programs without types give something else, and would
 * hear of it at the first call only.
 *
 * @throws TypeError that names the option
 */
export function checkFunctions<Options extends object>(
  options: Options,
  names: readonly (keyof Options & string)[],
): void {
  for (const name of names) {
    const value: unknown = options[name]
    if (value !== undefined && typeof value !== 'function')
      throw new TypeError(`${name} is ${typeof value}: give a function`)
  }
}
