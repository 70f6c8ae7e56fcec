import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { parsedJson } from '../../kernel/decoded.ts'
import { isObject } from '../../kernel/objects.ts'
import { whyNot } from '../file-text.ts'
import { UserError } from '../user-error.ts'

export type Pairs = Readonly<Record<string, string>>

/** The help text for `name=value` arguments. */
export const valueHelp =
  'a field; =@FILE reads a file, =- standard input, =\\@text is a value that begins with @; - or @FILE alone is a JSON object'

/** Parses `name=value` arguments; any other argument is an error. */
export function pairsOf(words: readonly string[]): Pairs {
  const pairs: Record<string, string> = Object.create(null)
  for (const word of words) {
    const at = word.indexOf('=')
    if (at < 1) throw new UserError(`"${word}" is not a name=value pair`, 2)
    pairs[word.slice(0, at)] = word.slice(at + 1)
  }
  return pairs
}

/**
 * The data to write: `name=value` pairs, whose values may be in files (`@FILE`) or on standard input (`-`), or one JSON
 * object from either.
 */
export async function bodyOf(words: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const [only] = words
  const whole = words.find((word) => word === '-' || word.startsWith('@'))
  if (whole !== undefined && words.length > 1)
    throw new UserError(`give name=value pairs, or ${whole} and a JSON object there, not both`, 2)
  if (only === '-') return jsonObject(await standardInput(), 'standard input')
  if (only?.startsWith('@')) return jsonObject(await textOf(only.slice(1)), only.slice(1))
  const body: Record<string, string> = Object.create(null)
  let readFrom: string | undefined
  for (const [name, value] of Object.entries(pairsOf(words))) {
    if (value === '-' && readFrom !== undefined)
      throw new UserError(`standard input is read once, for ${readFrom}: ${name} needs another source`, 2)
    if (value === '-') readFrom = name
    body[name] = await contentOf(value)
  }
  return body
}

/** The value of a pair, which may be in a file or on standard input. */
export async function contentOf(value: string): Promise<string> {
  if (value === '-') return standardInput()
  if (value.startsWith('@')) return textOf(value.slice(1), '; a value that begins with @ is written \\@')
  return value.startsWith('\\@') ? value.slice(1) : value
}

async function textOf(path: string, advice = ''): Promise<string> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(path)
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${whyNot(error)}${advice}`)
  }
  return decoded(bytes, path)
}

async function standardInput(): Promise<string> {
  try {
    return decoded(await buffer(process.stdin), 'standard input')
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(`cannot read standard input: ${whyNot(error)}`)
  }
}

/** A value as text, without its last line break; other bytes would be changed in a string. */
function decoded(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UserError(`${name} is not UTF-8 text: encode it first, as with base64`)
  }
}

/** The JSON object in a text. */
export function jsonObject(text: string, name: string): Readonly<Record<string, unknown>> {
  const value = parsedJson(text)
  if (isObject(value)) return { ...value }
  throw new UserError(`${name} must hold one JSON object`)
}

/** The text of a file, or of standard input for `-`. */
export const sourceText = (file: string): Promise<string> => (file === '-' ? standardInput() : textOf(file))
