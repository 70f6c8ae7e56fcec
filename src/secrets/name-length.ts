/** The longest name that a record can be kept under. */
export const longestName = 256

/** What is wrong with a name that is to be kept, or `undefined`. */
export const nameProblem = (what: string, name: string): string | undefined => {
  if (name.trim() === '') return `missing ${what}`
  return name.length > longestName ? `the ${what} is longer than ${longestName} characters` : undefined
}
