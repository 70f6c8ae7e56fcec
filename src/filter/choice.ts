/**
 * Checks an option with a fixed set of values. Callers without types can pass another one, which would be mistaken for
 * one of them.
 */
export function choice<Name>(option: string, given: Name, names: readonly Name[]): Name {
  if (names.includes(given)) return given
  throw new TypeError(`${option} is ${names.join(', ').replace(/, (?=[^,]*$)/, ' or ')}, not ${given}`)
}
