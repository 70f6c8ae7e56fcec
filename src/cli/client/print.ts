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
  // A token that was just made, or wrapped, is told once: it must not go unsaid.
  printRows(tokenRows(body['auth']))
  for (const part of [body['wrap_info'], body['data']])
    if (typeof part === 'object' && part !== null) printRows(Object.entries(part))
  // The service's own state (`sys/health`, `sys/seal-status`) comes without an envelope.
  if (!('data' in body))
    printRows(Object.entries(body).filter(([name]) => name !== 'warnings' && name !== 'auth'))
}

/** Prints the names of a listing, a line each; JSON as it came with `-format=json`. */
export function printKeys(
  options: Readonly<Record<string, string>>,
  body: Readonly<Record<string, unknown>>,
): void {
  if (options['format'] === 'json') {
    print(options, body)
    return
  }
  const data = body['data']
  const keys = typeof data === 'object' && data !== null && 'keys' in data ? data.keys : []
  for (const key of Array.isArray(keys) ? keys : []) process.stdout.write(`${String(key)}\n`)
}

/** What a person wants to know of a new token; nothing when there is none. */
export function tokenRows(auth: unknown): readonly (readonly [string, unknown])[] {
  if (typeof auth !== 'object' || auth === null || !('client_token' in auth)) return []
  return [
    ['token', auth.client_token],
    ['token_accessor', 'accessor' in auth ? auth.accessor : ''],
    ['token_duration', 'lease_duration' in auth ? `${String(auth.lease_duration)}s` : ''],
    ['token_renewable', 'renewable' in auth ? auth.renewable : false],
    ['token_policies', 'policies' in auth ? auth.policies : []],
  ]
}

/** Prints names and values in two columns; nested values as JSON. */
export function printRows(rows: readonly (readonly [string, unknown])[]): void {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(width)}  ${show(value)}\n`)
}

/** A text as it is; anything else as JSON. */
export const show = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
