/** Why a string cannot be a part of an identifier. */
export function nameProblems(what: string, text: string, bytes: number): readonly string[] {
  if (text === '') return []
  const problems: string[] = []
  if (/[\s\0\p{Surrogate}]/u.test(text))
    problems.push(`${what} must be valid Unicode without spaces and U+0000`)
  // No character has fewer bytes than units.
  if (text.length > bytes || new TextEncoder().encode(text).length > bytes)
    problems.push(`${what} is longer than ${bytes} bytes`)
  return problems
}
