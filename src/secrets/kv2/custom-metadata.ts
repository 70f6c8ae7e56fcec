const maxKeys = 64
const maxKeyBytes = 128
const maxValueBytes = 512

/** Letters, marks, digits, punctuation, symbols and the plain space: nothing invisible. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u

const utf8 = new TextEncoder()

/**
 * Returns all problems of a secret's custom metadata: at most 64 keys; keys of 1 to 128 bytes, values of 1 to 512, both
 * printable. Values are not quoted.
 *
 * @example
 * ```ts
 * import { customMetadataProblems } from 'plinth/kv'
 *
 * customMetadataProblems({ owner: 'ada' }) // []
 * customMetadataProblems({ owner: 'x'.repeat(600) }).length // 1
 * ```
 */
export function customMetadataProblems(notes: Readonly<Record<string, string>>): readonly string[] {
  const entries = Object.entries(notes)
  if (entries.length > maxKeys)
    return [`payload must contain at most ${maxKeys} keys, provided ${entries.length}`]
  return entries.flatMap(([key, value]) => [
    ...problemsOf('key', key, key, maxKeyBytes),
    ...problemsOf('value for key', key, value, maxValueBytes),
  ])
}

function problemsOf(what: string, key: string, text: string, max: number): string[] {
  const name = JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}…` : key)
  const bytes = utf8.encode(text).length
  const problems: string[] = []
  if (bytes === 0) problems.push(`length of ${what} ${name} is 0 but must be greater than 0`)
  if (bytes > max) problems.push(`length of ${what} ${name} is ${bytes} but max allowed is ${max}`)
  if (!printable.test(text)) problems.push(`${what} ${name} contains unprintable characters`)
  return problems
}

/** Several problems in one text, one per line, in the format of this API. */
export const listProblems = (problems: readonly string[]): string => {
  const count = problems.length === 1 ? '1 error' : `${problems.length} errors`
  return `${count} occurred:\n${problems.map((problem) => `\t* ${problem}\n`).join('')}\n`
}
