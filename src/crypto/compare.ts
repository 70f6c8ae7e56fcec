/**
 * Whether two byte strings are equal, in a time that depends on their length only.
 *
 * @remarks
 * JavaScript engines guarantee nothing about timing; avoiding an early exit is the best available measure.
 *
 * @example
 * ```ts
 * import { equalBytes } from 'plinth/secrets'
 *
 * equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2)) // true
 * ```
 */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let at = 0; at < a.length; at += 1) difference |= (a[at] ?? 0) ^ (b[at] ?? 0)
  return difference === 0
}

/**
 * Whether two strings are equal, in a time that depends on their length only: {@link equalBytes} of their UTF-8.
 *
 * @example
 * ```ts
 * import { equalTexts } from 'plinth/secrets'
 *
 * equalTexts('s.3xPq', 's.3xPq') // true
 * equalTexts('s.3xPq', 's.3xPr') // false
 * ```
 */
export const equalTexts = (a: string, b: string): boolean => {
  const utf8 = new TextEncoder()
  return equalBytes(utf8.encode(a), utf8.encode(b))
}
