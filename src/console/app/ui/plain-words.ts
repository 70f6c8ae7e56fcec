const word = String.raw`[\p{L}\p{N}._:@/-]+`
const words = new RegExp(`^${word}(?: +${word})*$`, 'u')
const keyword = /^(?:and|or|not|in|is|contains|matches)$/i

/** The words of a text that is no filter expression: each has to be in a name of the row. A keyword makes an expression. */
export function plainWords(text: string): readonly string[] {
  const trimmed = text.trim()
  if (!words.test(trimmed)) return []
  const found = trimmed.split(/ +/)
  return found.length > 1 && found.some((each) => keyword.test(each)) ? [] : found
}

/** The filter expression of a text: words become `contains` on the fields that name a row. */
export function expressionOf(text: string, names: readonly string[]): string {
  const found = plainWords(text)
  if (found.length === 0) return text
  const conditions = found.map((each) => names.map((name) => `${name} contains "${each}"`).join(' or '))
  return conditions.length === 1
    ? String(conditions[0])
    : conditions.map((condition) => `(${condition})`).join(' and ')
}
