/** The character code for length 0: from here on no character needs an escape in JSON. */
const zero = 0x5d

const lengthText = (length: number): string => String.fromCharCode(zero + length)

/**
 * Packs a list of names into one short text: each name without the prefix and suffix that it shares with the previous
 * one, so that a token with many policies fits a header.
 */
export function packNames(names: readonly string[]): string {
  let packed = ''
  let before = ''
  for (const name of names) {
    const most = Math.min(name.length, before.length)
    let start = 0
    while (start < most && name[start] === before[start]) start += 1
    let end = 0
    while (end < most - start && name.at(-1 - end) === before.at(-1 - end)) end += 1
    const middle = name.slice(start, name.length - end)
    packed += lengthText(start) + lengthText(end) + lengthText(middle.length) + middle
    before = name
  }
  return packed
}

/** Unpacks the names of {@link packNames}. */
export function unpackNames(packed: string): readonly string[] {
  const names: string[] = []
  let before = ''
  for (let at = 0; at < packed.length; ) {
    const [start = 0, end = 0, length = 0] = [0, 1, 2].map((more) => packed.charCodeAt(at + more) - zero)
    const middle = packed.slice(at + 3, at + 3 + length)
    before = before.slice(0, start) + middle + before.slice(before.length - end)
    names.push(before)
    at += 3 + length
  }
  return names
}
