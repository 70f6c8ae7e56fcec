/** Below this product of both lengths the host's search is used, whose worst case is that product. */
const small = 1 << 20

/** Whether a string contains another, in linear time: the host's own search takes their product at worst. */
export function holdsText(text: string, part: string): boolean {
  return text.length * part.length <= small ? text.includes(part) : holdsLong(text, part)
}

/** Knuth, Morris and Pratt: no character of the text is read twice. */
function holdsLong(text: string, part: string): boolean {
  const borders = bordersOf(part)
  let matched = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && unit !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (unit === part.charCodeAt(matched)) matched += 1
    if (matched === part.length) return true
  }
  return false
}

/** For each prefix, the length of the longest shorter prefix that it also ends with. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length)
  let matched = 0
  for (let at = 1; at < part.length; at += 1) {
    const unit = part.charCodeAt(at)
    while (matched > 0 && unit !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (unit === part.charCodeAt(matched)) matched += 1
    borders[at] = matched
  }
  return borders
}
