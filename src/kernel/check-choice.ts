/**
 * Checks an option that is one of a few words; left out, it is fine.
 *
 * @throws TypeError that names the option, and says which words there are
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
