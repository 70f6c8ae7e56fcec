/**
 * Checks that fields of an input which count something are not negative.
 *
 * @throws TypeError that names the field
 */
export function checkCounts(fields: Readonly<Record<string, number | null | undefined>>): void {
  for (const field in fields)
    if (Number(fields[field]) < 0)
      throw new TypeError(`input.${field} is ${fields[field]}, not a whole number from 0`)
}
