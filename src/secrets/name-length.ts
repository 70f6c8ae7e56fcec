/** The maximum length of a record's name. */
export const longestName = 256

/** What is wrong with a name, or `undefined`. */
export const nameProblem = (what: string, name: string): string | undefined => {
  if (name.trim() === '') return `missing ${what}`
  return name.length > longestName ? `the ${what} is longer than ${longestName} characters` : undefined
}
