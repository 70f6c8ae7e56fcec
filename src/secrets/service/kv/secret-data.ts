import { parsedJson } from '../../../kernel/decoded.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { writeExact } from '../../kv2/exact-json.ts'
import { type BodyRefusal, longUnits, readBody } from '../core/exact-body.ts'

/** The data of a secret: a JSON object, as a value or as its text (which preserves all digits exactly). */
export type SecretData = Readonly<Record<string, unknown>> | string

/** The JSON text of a caller's data; a text must be that of an object, and neither may be nested too deeply. */
export function textOf(
  data: SecretData,
): string | Refused<BodyRefusal> | Promise<string | Refused<BodyRefusal>> {
  if (typeof data === 'string') return parsedJson(data) !== undefined ? rewritten(data) : notJson
  if (isDeeper(data, 500)) return refuse('data_too_deep', 'the secret is nested deeper than 500 levels')
  // The type of the original value matters: a list, a date or nothing is not an object.
  const json = spelled(data)
  return json?.startsWith('{') ? json : refuse('data_not_a_map', 'the secret is not an object')
}

/** The value's JSON text; a bigint in it is an error that names its position, because JSON has none. */
function spelled(data: object): string | undefined {
  try {
    return JSON.stringify(data)
  } catch (error) {
    const where = bigintIn(data, 'data')
    if (where === undefined) throw error
    throw new TypeError(
      `${where} is a bigint, which JSON does not support: use a number, or pass the secret as JSON text, which preserves every digit`,
    )
  }
}

function bigintIn(value: unknown, at: string): string | undefined {
  if (typeof value === 'bigint') return at
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const where = bigintIn(member, `${at}.${name}`)
    if (where !== undefined) return where
  }
  return undefined
}

// The host's message is not used: it may quote the secret.
const notJson = refuse('data_not_a_map', 'the secret is not valid JSON')

/** The compact text of a JSON object. */
export async function rewritten(text: string): Promise<string | Refused<BodyRefusal>> {
  const body = readBody(text)
  if (text.length > longUnits) await nextMacrotask()
  return 'ok' in body ? body : writeExact(body)
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels < 0) return true
  for (const member of Object.values(value))
    if (typeof member === 'object' && isDeeper(member, levels - 1)) return true
  return false
}

/** The text as a value: numbers beyond 2^53 lose digits. */
export const parsed = (json: string): Readonly<Record<string, unknown>> => JSON.parse(json)
