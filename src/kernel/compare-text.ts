/**
 * Compares strings by their UTF-8 bytes, that is by code points, as databases and other languages do. (`<` compares
 * UTF-16 units and puts code points above U+FFFF before U+E000.)
 *
 * @returns negative, 0 or positive
 *
 * @example
 * ```ts
 * import { compareText } from 'plinth/paging'
 *
 * ['\u{1f600}', '\uffee', 'b', 'a'].sort(compareText) // ['a', 'b', '\uffee', '\u{1f600}']
 * ```
 */
export function compareText(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  for (let at = 0; at < shorter; at += 1) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left === right) continue
    // Surrogates encode code points above every other unit; between two surrogates, unit order is code point order.
    if (left >= 0xd800 && right >= 0xd800) {
      const leftHigh = left < 0xe000
      if (leftHigh !== right < 0xe000) return leftHigh ? 1 : -1
    }
    return left - right
  }
  return a.length - b.length
}
