import { moreWords } from '../../http/words.ts'

/** The words of header names that this service knows: its own, that of existing clients, and those a caller adds. */
export const productWords = (added?: readonly string[]): readonly [string, ...string[]] => [
  'Secrets',
  'Vault',
  ...moreWords(added),
]
