/** Prints an answer: JSON as it came with `-format=json`, otherwise rows for people. */
export function print(
  options: Readonly<Record<string, string>>,
  body: Readonly<Record<string, unknown>>,
): void {
  if (options['format'] === 'json') {
    process.stdout.write(`${JSON.stringify(body, null, 2)}\n`)
    return
  }
  for (const warning of Array.isArray(body['warnings']) ? body['warnings'] : [])
    process.stderr.write(`warning: ${String(warning)}\n`)
  const data = body['data']
  if (typeof data !== 'object' || data === null) return
  printRows(Object.entries(data))
}

/** Prints names and values in two columns; nested values as JSON. */
export function printRows(rows: readonly (readonly [string, unknown])[]): void {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(width)}  ${show(value)}\n`)
}

const show = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
