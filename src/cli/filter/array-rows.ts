/** The rows of a JSON array as text, so that matching rows can be written unchanged. */
export interface ArrayText {
  /** The text of each row, with the whitespace around it. */
  readonly rows: readonly string[]
  /** The whitespace before the closing bracket. */
  readonly end: string
}

/** Splits the text of an array into rows; `undefined` if its brackets do not close or something follows them. */
export function arrayRows(text: string): ArrayText | undefined {
  const rows: string[] = []
  const token = /[[\]{},"]/g
  let depth = 0
  let from = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const at = match.index
    if (text[at] === '"') token.lastIndex = endOfString(text, at + 1)
    else if (text[at] === '[' || text[at] === '{') {
      depth += 1
      if (depth === 1) from = at + 1
    } else if (text[at] === ',') {
      if (depth !== 1) continue
      rows.push(text.slice(from, at))
      from = at + 1
    } else {
      depth -= 1
      if (depth > 0) continue
      if (text.slice(at + 1).trim() !== '') return undefined
      const last = text.slice(from, at)
      if (rows.length > 0 || last.trim() !== '') rows.push(last)
      return { rows, end: /\s*$/.exec(last)?.[0] ?? '' }
    }
  }
  return undefined
}

/** The end of the string that began before `from`. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
  return text.length
}
