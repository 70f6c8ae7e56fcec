/**
 * Memoizes a function of immutable objects for the last few thousand of them, because pages and long polls repeat
 * theirs.
 *
 * @param kept - at least this many are remembered, at most twice as many
 */
export function memo<Of extends object, Made>(make: (of: Of) => Made, kept = 4096): (of: Of) => Made {
  let young = new Map<Of, Made>()
  let old = new Map<Of, Made>()
  return (of) => {
    const known = young.get(of)
    if (known !== undefined) return known
    const made = old.get(of) ?? make(of)
    if (young.size >= kept) {
      old = young
      young = new Map()
    }
    young.set(of, made)
    return made
  }
}
