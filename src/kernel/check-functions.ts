/**
 * Checks options that must be functions; missing ones are allowed. Callers without types would otherwise see a wrong
 * value fail only at the first call.
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
      throw new TypeError(`${name} is ${typeof value}: pass a function`)
  }
}
