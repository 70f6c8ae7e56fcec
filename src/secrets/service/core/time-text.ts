/** RFC 3339 in UTC, without trailing zeros. */
export function timeText(instant: number): string {
  const text = new Date(instant).toISOString()
  if (text[text.length - 2] !== '0') return text
  let end = text.length - 1
  while (text[end - 1] === '0') end -= 1
  return `${text.slice(0, text[end - 1] === '.' ? end - 1 : end)}Z`
}
