/**
 * Checks an option with a fixed set of values; it may be omitted.
 *
 * @throws TypeError that names the option and its values
 */
export function checkChoice<Word extends string>(
  name: string,
  given: Word | undefined,
  words: readonly [Word, ...Word[]],
): void {
  if (given === undefined || words.includes(given)) return
  throw new TypeError(
    `${name} is ${JSON.stringify(given)}: use one of ${words.map((word) => JSON.stringify(word)).join(', ')}`,
  )
}
