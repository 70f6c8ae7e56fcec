import { systemEnv } from '../../kernel/system-env.ts'
import { control } from '../terminal.ts'
import { UserError } from '../user-error.ts'
import type { Format } from './flags.ts'
import { membersOf } from './members.ts'
import { yaml } from './yaml.ts'

/** Prints a line. */
export const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Prints data in the `-format`; false for tables. */
export function printData(format: Format, data: unknown): boolean {
  if (format === undefined || format === 'table') return false
  process.stdout.write(format === 'yaml' ? yaml(data) : `${JSON.stringify(data, null, 2)}\n`)
  return true
}

/** Prints an object in the `-format`, or the fields of it that have a value as rows. */
export function printObject(format: Format, object: Readonly<Record<string, unknown>>): void {
  if (!printData(format, object)) printRows(Object.entries(object).filter(([, value]) => value !== null))
}

/** The output options of an answer. */
interface PrintOptions {
  /** The text for an answer without a body. */
  readonly done?: string
  /** The only field to print. */
  readonly field?: string | undefined
  /** The request, for the error about a missing field. */
  readonly name?: string
}

/** Prints an answer of the secrets service: unchanged with `-format=json`, otherwise as a table. */
export function print(
  format: Format,
  body: Readonly<Record<string, unknown>>,
  { done, field, name = 'the answer' }: PrintOptions = {},
): void {
  if (field !== undefined) {
    printField({ ...tokenFields(body['auth']), ...membersOf(body['data'] ?? body) }, field, name)
    return
  }
  if (printData(format, body)) return
  for (const warning of Array.isArray(body['warnings']) ? body['warnings'] : [])
    process.stderr.write(`warning: ${String(warning)}\n`)
  // A new or wrapped token is shown only once, so it must be printed.
  printRows(tokenRows(body['auth']))
  for (const part of [body['wrap_info'], body['data']]) printRows(Object.entries(membersOf(part)))
  if (done !== undefined && saysNothing(body)) process.stdout.write(`${done}\n`)
  // The service's own state (`sys/health`, `sys/seal-status`) has no envelope.
  else if (!('data' in body))
    printRows(Object.entries(body).filter(([name]) => name !== 'warnings' && name !== 'auth'))
}

/** Prints the names of a list, one per line; unchanged with `-format=json`. */
export function printKeys(format: Format, body: Readonly<Record<string, unknown>>): void {
  if (printData(format, body)) return
  const { keys } = membersOf(body['data'])
  for (const key of Array.isArray(keys) ? keys : []) process.stdout.write(`${String(key)}\n`)
}

/** Prints only one value, for scripts: `PGPASSWORD=$(plinth kv get -field=password secret/db)`. */
export function printField(values: Readonly<Record<string, unknown>>, field: string, path: string): void {
  if (!Object.hasOwn(values, field)) {
    const names = Object.keys(values).join(', ')
    throw new UserError(`${path} has no field ${field}${names && `; it has ${names}`}`)
  }
  process.stdout.write(`${show(values[field])}\n`)
}

const saysNothing = (body: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(body).length === 0 ||
  ('data' in body && [body['auth'], body['wrap_info'], body['data']].every((part) => part === null))

const tokenFields = (auth: unknown): Readonly<Record<string, unknown>> => ({
  ...membersOf(auth),
  ...Object.fromEntries(tokenRows(auth)),
})

/** The important fields of a new token; empty if there is none. */
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

/** A value on one line: a line break in it would look like another row. */
const cellOf = (value: unknown): string =>
  show(value).replace(/[\t\n\r]/g, (sign) => JSON.stringify(sign).slice(1, -1))

/** Prints rows below a heading, in columns; only the heading if there are none. */
export function printTable(heading: readonly string[], rows: readonly (readonly unknown[])[]): void {
  const all = [heading, ...rows.map((row) => row.map(cellOf))]
  const widths = heading.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  for (const [at, row] of all.entries()) {
    const line = row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
    process.stdout.write(at === 0 ? bold(line) : `${line}\n`)
  }
}

/** Bold on a terminal that supports colours and whose user has not disabled them. */
function bold(text: string): string | Uint8Array {
  const { stdout, env } = process
  return stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && stdout.hasColors()
    ? control(`\u001b[1m${text}\u001b[22m\n`)
    : `${text}\n`
}

/** Prints names and values in two columns; nested values as JSON. */
export function printRows(rows: readonly (readonly [string, unknown])[], sign = '  '): void {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(width)}${sign}${show(value)}\n`)
}

/** Prints what is known of one thing: `ID = web`. */
export const printFacts = (rows: readonly (readonly [string, unknown])[]): void => printRows(rows, ' = ')

/** Prints the title of a part. */
export function printSection(title: string): void {
  process.stdout.write('\n')
  process.stdout.write(bold(title))
}

/** Nanoseconds since the epoch, as a time. */
export const time = (nanoseconds: unknown): string =>
  typeof nanoseconds === 'number' && nanoseconds > 0
    ? `${new Date(nanoseconds / 1e6).toISOString().slice(0, 19)}Z`
    : 'N/A'

/** Nanoseconds since the epoch, as how long ago that was. */
export function ago(nanoseconds: unknown): string {
  if (typeof nanoseconds !== 'number' || nanoseconds <= 0) return 'N/A'
  const seconds = Math.max(0, Math.round((systemEnv().now - nanoseconds / 1e6) / 1000))
  const [d, h, m] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  const parts = [d > 0 && `${d}d`, h > 0 && `${h}h`, m > 0 && `${m}m`, `${seconds % 60}s`].filter(Boolean)
  return `${parts.slice(0, 2).join('')} ago`
}

/** A string unchanged; anything else as JSON. */
export const show = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
