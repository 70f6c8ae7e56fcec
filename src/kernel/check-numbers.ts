/** Constraints on numeric options. */
export interface Bounds {
  /** The minimum. */
  readonly least: number
  /** The unit of the number, for the message. */
  readonly unit: string
  /** Whether they must be whole, and hence finite. */
  readonly whole?: boolean
}

/**
 * Checks numeric options, which may be omitted. An invalid one is a programming error, so it throws.
 *
 * @throws RangeError that names the option and its valid range
 */
export function checkNumbers(
  { least, unit, whole = false }: Bounds,
  options: Readonly<Record<string, number | undefined>>,
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    // Callers without types may pass a string, which would compare as a number.
    const isRight = typeof value === 'number' && value >= least && (!whole || Number.isSafeInteger(value))
    if (!isRight)
      throw new RangeError(
        `${name} is ${typeof value === 'string' ? JSON.stringify(value) : value}: pass a ${whole ? 'whole ' : ''}number of ${unit}, ${least} or more`,
      )
  }
}
