const grammar = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/

/** Parses an RFC 3339 timestamp into whole microseconds since the Unix epoch; finer digits are dropped. */
export function parseMicros(text: string): number | undefined {
  const match = grammar.exec(text)
  const seconds = match ? Date.parse(`${match[1]}${match[3]}`) : Number.NaN
  if (!match || Number.isNaN(seconds)) return undefined
  return seconds * 1000 + Number((match[2] ?? '').padEnd(6, '0').slice(0, 6))
}

/** Formats microseconds since the Unix epoch as the registry does: `2026-01-02T03:04:05.678901Z`. */
export function formatMicros(micros: number): string {
  const seconds = Math.floor(micros / 1_000_000)
  const fraction = String(micros - seconds * 1_000_000).padStart(6, '0')
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}.${fraction}Z`
}
