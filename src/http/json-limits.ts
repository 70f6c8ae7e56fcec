/** How many values a JSON text may have. */
export interface JsonLimits {
  /** In the whole text. */
  readonly all: number
  /** In one object or list. */
  readonly each: number
}

/** 32 MiB of brackets become gigabytes of objects, and block all other requests. */
const mostValues = 250_000

export const jsonLimits: JsonLimits = { all: mostValues, each: mostValues }

const [quote, backslash, comma, brace, bracket, braceEnd, bracketEnd] = Array.from('"\\,{[}]', (mark) =>
  mark.charCodeAt(0),
)

/** The place of the quote that ends the string which begins at a place, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let before = end
    while (text.charCodeAt(before - 1) === backslash) before -= 1
    if ((end - before) % 2 === 0) return end
  }
}

/** Whether a JSON text has more values than that, estimated by the punctuation outside its strings. */
export function holdsMoreThan(text: string, { all, each }: JsonLimits): boolean {
  // A value and its punctuation have at least two characters.
  if (text.length <= Math.min(all, each)) return false
  let values = 1
  let within = 1
  const outer: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === comma) {
      values += 1
      within += 1
    } else if (code === brace || code === bracket) {
      values += 1
      outer.push(within)
      within = 1
    } else if (code === braceEnd || code === bracketEnd) within = outer.pop() ?? 1
    else continue
    if (values > all || within > each) return true
  }
  return false
}
