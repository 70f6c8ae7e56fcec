/**
 * Checks that required arguments are present, for callers without types. A missing one would otherwise fail deep
 * inside, on a field of `undefined`.
 *
 * @param names - the names of the arguments, separated by spaces; only split if one is missing
 *
 * @throws TypeError that names the first missing argument
 */
export function checkArguments(names: string, ...given: readonly unknown[]): void {
  const missing = given.indexOf(undefined)
  if (missing >= 0) throw new TypeError(`${names.split(' ')[missing]} is missing`)
}
