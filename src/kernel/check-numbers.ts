/** What numbers have to be. */
export interface Bounds {
  /** The smallest. */
  readonly least: number
  /** What they count, for the message. */
  readonly unit: string
  /** Whether they have to be whole, and hence finite. */
  readonly whole?: boolean
}

/**
 * Checks options that are numbers; those left out are fine. A bad one is a mistake of the program, so it throws.
 *
 * @throws RangeError that names the option, and says what would be right
 */
export function checkNumbers(
  { least, unit, whole = false }: Bounds,
  options: Readonly<Record<string, number | undefined>>,
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    // Programs without types may give a text, which compares as the number it spells.
    const isRight = typeof value === 'number' && value >= least && (!whole || Number.isSafeInteger(value))
    if (!isRight)
      throw new RangeError(
        `${name} is ${typeof value === 'string' ? JSON.stringify(value) : value}: give a ${whole ? 'whole ' : ''}number of ${unit}, ${least} or more`,
      )
  }
}
