/** An option that is one of some names. Programs without types can give another, which would be taken for one of them. */
export function choice<Name>(option: string, given: Name, names: readonly Name[]): Name {
  if (names.includes(given)) return given
  throw new TypeError(`${option} is ${names.join(' or ')}, not ${given}`)
}
